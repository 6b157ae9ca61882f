import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRuns, rollout, started } from '../../ledger/copy/testing/history.ts';
import { openLedger } from '../../ledger/open.ts';
import { icecore, temporaryFolder } from '../testing/harness.ts';

/** Letters that are no ASCII: each is three bytes in the name of a folder, and nine where all of them are written as %XX. */
const layers = '層'.repeat(40);

/** A name that would lead elsewhere. */
const oddName = `été/../a=b%c "d" *?[x]{y}'${layers}`;

// The tables are made once; each test has a folder of its own to export into.
const home = realpathSync(mkdtempSync(join(tmpdir(), 'icecore-tables-')));
const look = (...argv: readonly string[]) => icecore(['export', 'tables', ...argv], { cwd: home });

beforeAll(async () => {
  mkdirSync(join(home, '.icecore'));
  const ledger = await openLedger(`sqlite:${join(home, '.icecore', 'ledger.db')}`, { create: true });
  await recordRuns(ledger, ['a', 'b']);
  await ledger.append('evidence-a-2-0-0', [rollout('evidence-a-2-0-0', 0)], { expect: 'any' });
  const odd = started('odd', oddName);
  await ledger.append('run-odd', [{ ...odd, data: { ...odd.data, tags: ['odd'] } }], { expect: 'any' });
  await ledger.append('evidence-odd-1-0-0', [rollout('evidence-odd-1-0-0', 0)], { expect: 'any' });
  await ledger.close();
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const installed = fileURLToPath(new URL('../../../.cache/python/bin/python3', import.meta.url));
const python = process.env['ICECORE_TEST_PYTHON'] ?? (existsSync(installed) ? installed : 'python3');
const isThere = spawnSync(python, ['-c', 'import duckdb, polars, pyarrow.dataset']).status === 0;
if (!isThere)
  console.warn(`Exports are not read by ${python}: it has not duckdb, pyarrow and polars. Set ICECORE_TEST_PYTHON.`);

const reading = `
import json, sys, duckdb, polars, pyarrow.dataset
to = sys.argv[1]
for table in json.load(open(to + "/icecore-export.json"))["tables"]:
    folder = to + "/" + table["name"]
    files = folder + "/**/*.parquet"
    by_duckdb = duckdb.sql(f"FROM read_parquet('{files}', hive_partitioning = true)")
    columns = sorted(column["name"] for column in table["columns"])
    assert sorted(by_duckdb.columns) == columns, (table["name"], by_duckdb.columns)
    arrow = pyarrow.dataset.dataset(folder, format="parquet", partitioning="hive").to_table()
    frame = polars.scan_parquet(files, hive_partitioning=True).collect()
    counts = [by_duckdb.aggregate("count(*)").fetchall()[0][0], arrow.num_rows, frame.height]
    assert counts == [table["rows"]] * 3, (table["name"], counts)
    if table["name"] == "rollouts":
        runs = [{row[0] for row in by_duckdb.select("run").fetchall()}, set(arrow["run"].to_pylist()), set(frame["run"])]
        print(json.dumps([sorted(names) for names in runs]))
`;

describe.skipIf(!isThere)('exported Parquet', () => {
  it('is read as it is by DuckDB, Arrow and Polars', async () => {
    const to = join(temporaryFolder(), 'out');
    expect((await look('--output', to)).code).toBe(0);
    const read = spawnSync(python, ['-c', reading, to], { encoding: 'utf8' });
    expect(read.stderr).toBe('');
    const runs = ['the a', 'the b', oddName];
    expect(JSON.parse(read.stdout)).toEqual([runs, runs, runs]);
  });
});

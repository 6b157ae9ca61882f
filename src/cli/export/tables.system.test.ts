// Exported Parquet, as other programs than icecore read it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/harness.ts';
import { exporting, oddName } from './testing/exported.ts';

const { look } = exporting();

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
  it('is read by DuckDB, Arrow and Polars', async () => {
    const to = join(temporaryFolder(), 'out');
    expect((await look('--output', to)).code).toBe(0);
    const read = spawnSync(python, ['-c', reading, to], { encoding: 'utf8' });
    expect(read.stderr).toBe('');
    const runs = ['the a', 'the b', oddName];
    expect(JSON.parse(read.stdout)).toEqual([runs, runs, runs]);
  });
});

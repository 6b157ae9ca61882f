// Query results as Parquet files, and which files a failed query leaves.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryPath } from '../../base/temporary.ts';
import { writeParquet } from '../../library/sql/formats/csv.ts';
import { openQuestions } from '../../projections/query/questions.ts';
import { sampleTables } from '../../projections/query/testing/tables.ts';
import { placeWithTables } from '../runs/testing/looking.ts';
import { temporaryFolder } from '../testing/harness.ts';

const limits = { memoryMegabytes: 100, diskMegabytes: 100, seconds: 20, limit: null };

async function read(sql: string): Promise<unknown> {
  const instance = await DuckDBInstance.create(':memory:');
  const rows = (await (await instance.connect()).runAndReadAll(sql)).getRowsJson();
  instance.closeSync();
  return rows;
}

async function written(sql: string): Promise<{ readonly rows: number; readonly path: string }> {
  const sample = await sampleTables();
  onTestFinished(sample.remove);
  const questions = await openQuestions(sample.path, limits);
  const path = join(temporaryFolder(), 'answer.parquet');
  const rows = await writeParquet(await questions.ask(sql), path, limits);
  await questions.close();
  return { rows, path };
}

describe('writing a query result as Parquet', () => {
  it('keeps all rows, and renames columns whose names differ only in case', async () => {
    const sql = 'SELECT *, number AS NUMBER, [stage] AS "a ""list""" FROM rollouts -- a remark;';
    const { rows, path } = await written(sql);
    expect(rows).toBe(5_000);
    expect(await read(`SELECT column_name FROM (DESCRIBE FROM '${path}')`)).toEqual([
      ['run'],
      ['stage'],
      ['number'],
      ['outcome'],
      ['text'],
      ['NUMBER_2'],
      ['a "list"'],
    ]);
    expect(await read(`SELECT count(*), sum(number), sum(NUMBER_2) FROM '${path}'`)).toEqual([
      ['5000', '12497500', '12497500'],
    ]);
  });

  it('names unnamed struct fields by position, and keeps the columns of a pivot', async () => {
    const { path } = await written('SELECT row(stage, outcome) AS pair FROM rollouts ORDER BY number LIMIT 1');
    expect(await read(`FROM '${path}'`)).toEqual([[{ 1: '1', 2: 'hole' }]]);
    const pivot = await written('PIVOT rollouts ON outcome USING count(*) GROUP BY stage ORDER BY stage LIMIT 1');
    expect(await read(`SELECT hole + valid FROM '${pivot.path}'`)).toEqual([['1250']]);
  });

  it('replaces an existing file only after the query succeeds, and leaves no temporary files', async () => {
    const { look, cwd } = await placeWithTables();
    const path = join(cwd, 'answer.parquet');
    const ask = (sql: string) => look('sql', sql, '--output', 'answer.parquet');
    expect(await ask('SELECT run FROM runs')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/1 row in answer\.parquet\n$/),
    });
    const before = readFileSync(path);
    expect(
      await ask("SELECT CASE WHEN i = 900000 THEN 'x' ELSE '1' END::INTEGER AS n FROM range(1000000) t(i)"),
    ).toMatchObject({ code: 1, stderr: expect.stringContaining("Could not convert string 'x' to INT32") });
    expect(await ask('DROP TABLE x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('DROP is not allowed'),
    });
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(cwd).sort()).toEqual(['.icecore', 'answer.parquet']);
  });

  it('removes the temporary files of killed processes, not those of running ones', async () => {
    const { look, cwd } = await placeWithTables();
    const unfinished = join(cwd, '.icecore-unfinished');
    const othersNow = temporaryPath(unfinished);
    const killed = temporaryPath(unfinished).replace(`-${process.pid}-`, '-2000000000-');
    for (const folder of [othersNow, killed]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'answer.parquet'), 'half');
    }
    await look('sql', 'FROM runs', '--output', 'answer.parquet');
    expect(readdirSync(unfinished)).toEqual([basename(othersNow)]);
    rmSync(othersNow, { recursive: true });
    await look('sql', 'FROM runs', '--output', 'answer.parquet');
    expect(existsSync(unfinished)).toBe(false);
  });
});

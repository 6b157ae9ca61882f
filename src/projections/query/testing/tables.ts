// A small file of tables as a projector would leave it: tables in `log`, views in `main`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api';
import type { Answer } from '../questions.ts';

export interface Sample {
  readonly folder: string;
  readonly path: string;
  remove(): void;
}

export async function sampleTables(rollouts = 5_000): Promise<Sample> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-questions-'));
  const path = join(folder, 'tables.duckdb');
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  for (const statement of statements(rollouts)) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
  return { folder, path, remove: () => rmSync(folder, { recursive: true }) };
}

const statements = (rollouts: number): readonly string[] => [
  'CREATE SCHEMA log',
  `CREATE TABLE log.rollouts AS SELECT 'run-' || (i % 3) AS run, i % 4 + 1 AS stage, i AS number,
     CASE WHEN i % 5 = 0 THEN 'hole' ELSE 'valid' END AS outcome, 'answer ' || i AS text FROM range(${rollouts}) t(i)`,
  "CREATE TABLE log.stages AS SELECT 'run-0' AS run, 1 AS stage, '8' AS family",
  'CREATE SEQUENCE log.numbers',
  'CREATE VIEW rollouts AS SELECT * FROM log.rollouts',
  'CREATE VIEW stage_stats AS SELECT run, stage, count(*) AS rollouts FROM log.rollouts GROUP BY ALL',
  "CREATE MACRO of_run(named) AS TABLE SELECT * FROM log.rollouts WHERE run = 'run-' || named",
];

export async function chunksOf(answer: Answer): Promise<readonly DuckDBDataChunk[]> {
  const chunks: DuckDBDataChunk[] = [];
  for await (const chunk of answer.chunks()) chunks.push(chunk);
  return chunks;
}

/** As text, so that DuckDB's own types can be compared. */
export async function rowsOf(answer: Answer): Promise<readonly (readonly string[])[]> {
  const chunks = await chunksOf(answer);
  return chunks.flatMap((chunk) => chunk.getRows().map((row) => row.map(String)));
}

// Statements that would do more than query the tables. Each must be refused, or answered without any effect: nothing
// read, created or changed, no connection, no facts about the machine or its user.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { IcecoreError } from '../../../schemas/errors.ts';
import { openLocked, openQuestions, type Questions } from './questions.ts';
import { attacks, harmless } from './testing/attacks.ts';
import { rowsOf, type Sample, sampleTables } from './testing/tables.ts';

const canary = 'tweet-tweet';
let sample: Sample;
let questions: Questions;
let server: Server;
let calls = 0;
let before: Readonly<Record<string, string>>;

beforeAll(async () => {
  sample = await sampleTables();
  for (const name of ['canary.csv', 'canary.json', 'canary.parquet', 'canary.txt', 'schema.sql', 'load.sql'])
    writeFileSync(join(sample.folder, name), `${canary}\n`);
  mkdirSync(join(sample.folder, 'sub'));
  server = createServer((_, response) => {
    calls++;
    response.end(canary);
  }).listen(0, '127.0.0.1');
  questions = await openQuestions(sample.path, { memoryMegabytes: 200, seconds: 20 });
  before = contents();
});

afterAll(async () => {
  await questions.close();
  server.close();
  sample.remove();
});

function contents(): Readonly<Record<string, string>> {
  const names = readdirSync(sample.folder, { recursive: true }).map(String).sort();
  return Object.fromEntries(
    names.map((name) => [name, name === 'sub' ? '' : readFileSync(join(sample.folder, name), 'latin1')]),
  );
}

const placed = (sql: string): string =>
  sql.replaceAll('{F}', sample.folder).replaceAll('{W}', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);

it.each(attacks)('refuses %j', async (sql) => {
  const refused = await questions.ask(placed(sql)).then(rowsOf, (error: unknown) => error);
  expect(refused).toBeInstanceOf(IcecoreError);
  expect(['bad-input', 'not-found']).toContain((refused as IcecoreError).kind);
  expect(String((refused as IcecoreError).message)).not.toContain(canary);
});

it.each(harmless)('has no effect and no leak for %j', async (sql) => {
  const answered = JSON.stringify(await questions.ask(placed(sql)).then(rowsOf));
  for (const secret of [homedir(), canary]) expect(answered).not.toContain(secret);
});

it('changes no setting for the next query, whatever a query calls', async () => {
  const all = 'SELECT name, value FROM duckdb_settings() ORDER BY name';
  const asBefore = await rowsOf(await questions.ask(all));
  for (const sql of harmless) await questions.ask(placed(sql)).then(rowsOf);
  expect(await rowsOf(await questions.ask(all))).toEqual(asBefore);
});

it('ends a query that sleeps at its time limit', async () => {
  const own = await sampleTables(10);
  const hasty = await openQuestions(own.path, { memoryMegabytes: 100, seconds: 0.2 });
  await expect(hasty.ask('SELECT pg_sleep(100)').then(rowsOf)).rejects.toMatchObject({ name: 'TookTooLong' });
  await hasty.close();
  own.remove();
});

async function functionsWhere(condition: string): Promise<readonly string[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const all = await connection.runAndReadAll(
    `SELECT DISTINCT function_name FROM duckdb_functions() WHERE ${condition}`,
  );
  instance.closeSync();
  return all.getRows().map(String).sort();
}

async function messageFor(sql: string): Promise<string> {
  try {
    return JSON.stringify(await rowsOf(await questions.ask(sql)));
  } catch (fault) {
    expect(fault, sql).toBeInstanceOf(IcecoreError);
    expect(['bad-input', 'not-found'], `${sql}: ${String(fault)}`).toContain((fault as IcecoreError).kind);
    return String(fault);
  }
}

it('reaches no file through any table function of DuckDB, with any arguments', async () => {
  const all = await functionsWhere("function_type IN ('table', 'table_macro', 'pragma')");
  expect(all.length).toBeGreaterThan(100);
  const [csv, text] = [join(sample.folder, 'canary.csv'), join(sample.folder, 'canary.txt')];
  // These print what follows them: the tests of the query process call them.
  const silent = all.filter((name) => name !== 'enable_profiling' && name !== 'enable_logging');
  for (const name of silent)
    for (const given of ['', `'${csv}'`, `['${text}']`])
      expect(await messageFor(`SELECT * FROM "${name}"(${given})`), name).not.toContain(canary);
});

it('knows every volatile scalar function of DuckDB', async () => {
  const harmlessOnes = new Set(
    `current_connection_id current_query current_query_id current_transaction_id error gen_random_uuid random setseed
     stats uuid uuidv4 uuidv7`.split(/\s+/),
  );
  const volatile = await functionsWhere("stability = 'VOLATILE' AND function_type = 'scalar'");
  const others = volatile.filter((name) => !harmlessOnes.has(name));
  expect(others).toEqual(['currval', 'nextval', 'sleep_ms', 'write_log']);
  for (const name of others) await messageFor(`SELECT ${name}('x')`);
});

it('cannot reach files even where the parser would allow it', async () => {
  const other = await sampleTables(10);
  const held = await openLocked(other.path, 100, {});
  const connection = await held.instance.connect();
  const tried = [
    `FROM read_text('${other.path}')`,
    `COPY (SELECT 1) TO '${other.path}.wal'`,
    `COPY (SELECT 1) TO '${other.folder}/made.csv'`,
    `ATTACH '${other.folder}/made.duckdb'`,
    "SET disabled_filesystems = ''",
    'SET enable_external_access = true',
    "SET temp_directory = '/tmp'",
    'LOAD httpfs',
  ];
  for (const sql of tried) await expect(connection.run(sql), sql).rejects.toThrow();
  connection.closeSync();
  held.release();
  expect(readdirSync(other.folder)).toEqual(['tables.duckdb']);
  other.remove();
});

it('has written no file and opened no connection in the end, and still answers', async () => {
  expect(contents()).toEqual(before);
  expect(calls).toBe(0);
  expect(await rowsOf(await questions.ask('SELECT count(*) FROM log.rollouts'))).toEqual([['5000']]);
  expect(await rowsOf(await questions.ask('SHOW TABLES'))).toEqual([['rollouts'], ['stage_stats']]);
});

// Everything anybody may write that would do more than ask the tables. Each must be refused, or answered without having done
// anything: nothing read, nothing made, nothing changed, nobody called, nothing told of the machine or of its user.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { IcecoreError } from '../../../schemas/errors.ts';
import { openLocked, openQuestions, type Questions } from './questions.ts';
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

/** `F` stands for the folder with the canaries, `W` for a web server that counts who calls. */
const placed = (sql: string): string =>
  sql.replaceAll('{F}', sample.folder).replaceAll('{W}', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);

const writing = [
  "INSERT INTO log.stages VALUES ('x', 1, '3')",
  'UPDATE log.stages SET stage = 2',
  'DELETE FROM log.stages',
  'TRUNCATE log.stages',
  'MERGE INTO log.stages USING log.stages s ON false WHEN NOT MATCHED THEN INSERT VALUES (1)',
  'CREATE TABLE made AS SELECT 1',
  'CREATE TEMP TABLE made AS SELECT 1',
  'CREATE OR REPLACE VIEW rollouts AS SELECT 1',
  'CREATE TEMP VIEW made AS SELECT 1',
  'CREATE MACRO made() AS 1',
  'CREATE TEMP MACRO made() AS TABLE SELECT 1',
  'CREATE SEQUENCE made',
  "CREATE TYPE made AS ENUM ('a')",
  'CREATE SCHEMA made',
  'CREATE INDEX made ON log.stages (run)',
  "CREATE SECRET (TYPE http, BEARER_TOKEN 'x')",
  "CREATE PERSISTENT SECRET made (TYPE http, BEARER_TOKEN 'x')",
  'ALTER TABLE log.stages ADD COLUMN made INT',
  'DROP TABLE log.rollouts',
  'DROP VIEW rollouts',
  "COMMENT ON TABLE log.stages IS 'x'",
  'VACUUM',
  'VACUUM ANALYZE',
  'ANALYZE',
  'CHECKPOINT',
  'FORCE CHECKPOINT',
  "SELECT nextval('log.numbers')",
  "SELECT currval('log.numbers')",
  "SELECT list_transform([1], lambda x: nextval('log.numbers'))",
  'FROM force_checkpoint()',
  'WITH gone AS (DELETE FROM log.stages RETURNING *) SELECT * FROM gone',
  'WITH kept AS (SELECT 1) INSERT INTO log.stages SELECT 1',
  'SELECT * FROM (DELETE FROM log.stages RETURNING *)',
  'SELECT 1 INTO made',
];

const files = [
  "COPY (SELECT 1) TO '{F}/made.csv'",
  "COPY log.rollouts TO '{F}/made.parquet' (FORMAT parquet)",
  "COPY log.rollouts FROM '{F}/canary.csv'",
  "COPY (SELECT 1) TO '{F}/tables.duckdb.wal'",
  "COPY (SELECT 1) TO '{F}/tables.duckdb'",
  "COPY (SELECT 1) TO '/dev/stdout'",
  "COPY (SELECT 1) TO '/dev/stderr' (FORMAT json)",
  'COPY FROM DATABASE tables TO other',
  "EXPLAIN COPY (SELECT 1) TO '{F}/made.csv'",
  "EXPLAIN ANALYZE COPY (SELECT 1) TO '{F}/made.csv'",
  "EXPLAIN (FORMAT json) COPY (SELECT 1) TO '{F}/made.csv'",
  "EXPLAIN (ANALYZE) COPY (SELECT 1) TO '{F}/made.csv'",
  "EXPLAIN ANALYZE EXPLAIN ANALYZE COPY (SELECT 1) TO '{F}/made.csv'",
  "EXPLAIN /* /* */ SELECT 1 */ ANALYZE COPY (SELECT 1) TO '{F}/made.csv'",
  "EXPLAIN ANALYZE -- SELECT 1\n COPY (SELECT 1) TO '{F}/made.csv'",
  'EXPLAIN ANALYZE CREATE TEMP TABLE made AS SELECT 1',
  'EXPLAIN ANALYZE DELETE FROM log.stages',
  "EXPORT DATABASE '{F}/made'",
  "IMPORT DATABASE '{F}'",
  "PRAGMA import_database('{F}')",
  "ATTACH '{F}/made.duckdb'",
  "ATTACH ':memory:' AS made",
  "ATTACH '{F}/tables.duckdb' AS again",
  'DETACH tables',
  "FROM '{F}/canary.csv'",
  "FROM '{F}/canary.json'",
  "FROM '{F}/canary.parquet'",
  'FROM "{F}/canary.csv"',
  "FROM '{F}/*.csv'",
  "FROM '/etc/passwd'",
  "FROM 'canary.csv'",
  "FROM 'file:{F}/canary.csv'",
  "FROM '/dev/stdin'",
  "FROM '{F}/tables.duckdb'",
  'FROM main."{F}/canary.csv"',
  'FROM tables.main."{F}/canary.csv"',
  'FROM "{F}/canary"."csv"',
  "TABLE '{F}/canary.csv'",
  "DESCRIBE '{F}/canary.csv'",
  "DESCRIBE FROM '{F}/canary.csv'",
  "SUMMARIZE '{F}/canary.csv'",
  "SHOW '{F}/canary.csv'",
  "EXPLAIN FROM '{F}/canary.csv'",
  "PIVOT '{F}/canary.csv' ON a IN (1) USING count(*)",
  "PIVOT '{F}/canary.csv' ON a USING count(*)",
  "PIVOT rollouts ON outcome IN (SELECT content FROM read_text('{F}/canary.txt'))",
  "UNPIVOT '{F}/canary.csv' ON a",
  "SELECT * FROM rollouts JOIN '{F}/canary.csv' ON true",
  "SELECT (SELECT column0 FROM '{F}/canary.csv')",
  "SELECT 1 WHERE EXISTS (FROM '{F}/canary.csv')",
  "SELECT 1 ORDER BY (SELECT 1 FROM '{F}/canary.csv')",
  "SELECT 1 LIMIT (SELECT count(*) FROM '{F}/canary.csv')",
  "VALUES ((SELECT 1 FROM '{F}/canary.csv'))",
  "SELECT 1 UNION ALL SELECT 1 FROM '{F}/canary.csv'",
  "WITH a AS (FROM '{F}/canary.csv') FROM a",
  `WITH "{F}/canary.csv" AS (FROM "{F}/canary.csv") FROM "{F}/canary.csv"`,
  `SELECT * FROM '{F}/canary.csv', (WITH "{F}/canary.csv" AS (SELECT 1) SELECT 1)`,
  "FROM rollouts ASOF JOIN '{F}/canary.csv' USING (number)",
  "FROM rollouts, LATERAL (FROM '{F}/canary.csv')",
  "SELECT * FROM read_csv('{F}/canary.csv')",
  "SELECT * FROM READ_CSV_AUTO('{F}/canary.csv')",
  `SELECT * FROM "read_csv"('{F}/canary.csv')`,
  "SELECT * FROM main.read_text('{F}/canary.txt')",
  "SELECT * FROM system.main.read_text('{F}/canary.txt')",
  "SELECT * FROM read_text(['{F}/canary.txt'])",
  'SELECT * FROM rollouts, read_text(rollouts.text)',
  "SELECT read_text('{F}/canary.txt')",
  "SELECT * FROM read_blob('{F}/tables.duckdb')",
  "SELECT * FROM glob('{F}/*')",
  "SELECT * FROM sniff_csv('{F}/canary.csv')",
  "SELECT * FROM parquet_metadata('{F}/canary.parquet')",
  "SELECT * FROM query('FROM ''{F}/canary.csv''')",
  "SELECT * FROM query_table('{F}/canary.csv')",
  "SELECT * FROM histogram('{F}/canary.csv', 'a')",
  "SELECT * FROM histogram_values('{F}/canary.csv', a)",
  `SELECT * FROM histogram("{F}/canary.csv", a)`,
  `WITH "{F}/canary.csv" AS (SELECT 1 AS a) SELECT * FROM histogram("{F}/canary.csv", a)`,
  "SELECT * FROM histogram(rollouts, source := '{F}/canary.csv')",
  "SELECT * FROM histogram_values(rollouts, SOURCE := '{F}/canary.csv', col_name := column0)",
  "SELECT * FROM histogram(source := '{F}/canary.csv', col_name := column0)",
  "SELECT * FROM histogram(rollouts, (SELECT content FROM read_text('{F}/canary.txt')))",
  "SELECT * FROM histogram('{F}/' || 'canary.csv', a)",
  'SELECT * FROM histogram(duckdb_settings, name)',
  'SELECT * FROM histogram()',
  "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('FROM ''{F}/canary.csv'''))",
  "PRAGMA json_execute_serialized_sql('{}')",
];

const reaching = [
  "FROM '{W}/canary.csv'",
  "FROM read_csv('{W}/canary.csv')",
  "FROM 'https://127.0.0.1/canary.parquet'",
  "FROM 's3://bucket/canary.parquet'",
  "FROM 'hf://datasets/canary'",
  "ATTACH '{W}/canary.duckdb'",
  "COPY (SELECT 1) TO '{W}/made.csv'",
  'INSTALL httpfs',
  "INSTALL canary FROM '{W}'",
  'FORCE INSTALL httpfs FROM community',
  'LOAD httpfs',
  "LOAD '{F}/canary.duckdb_extension'",
  'UPDATE EXTENSIONS',
  "FROM which_secret('s3://bucket', 's3')",
];

const settings = [
  'SET memory_limit = 99999999999',
  "SET GLOBAL temp_directory = '{F}/made'",
  "SET SESSION search_path = 'log'",
  "SET SCHEMA 'log'",
  'SET VARIABLE a = 1',
  'RESET threads',
  'USE log',
  'PRAGMA enable_profiling',
  'PRAGMA database_list',
  "PRAGMA table_info('rollouts')",
  "PRAGMA profiling_output = '{F}/made'",
  'PRAGMA threads = 1',
  'PREPARE made AS SELECT 1',
  'EXECUTE made',
  'DEALLOCATE made',
  'BEGIN',
  'COMMIT',
  'ROLLBACK',
  "CALL enable_logging('QueryLog')",
  'CALL pragma_version()',
  "FROM enable_logging(storage = 'file', storage_config = {'path': '{F}/made'})",
  'FROM duckdb_secrets()',
  'FROM duckdb_extensions()',
  'FROM pragma_database_list()',
  "SELECT list_transform(['home_directory'], lambda s: current_setting(s))",
  "SELECT getenv('HOME')",
  'SHOW memory_limit',
];

/** Pivots that do not say which columns they make: what is judged and what is run differ by as much. */
const pivots = [
  'PIVOT rollouts ON outcome USING count(*); DROP TABLE log.rollouts',
  'DROP TABLE log.rollouts; PIVOT rollouts ON outcome USING count(*)',
  'PIVOT rollouts ON outcome; PIVOT rollouts ON run',
  'PIVOT rollouts ON outcome USING count(*); EXPLAIN ANALYZE DELETE FROM log.stages',
  'EXPLAIN ANALYZE PIVOT rollouts ON outcome; DELETE FROM log.stages',
  "PIVOT rollouts ON run || '; PIVOT rollouts ON ' ; DROP TABLE log.rollouts --'",
  'PIVOT rollouts ON run || $$ USING $$; DROP TABLE log.rollouts',
  'PIVOT rollouts ON run || $a$ $$ ON $a$ USING count(*); DROP TABLE log.rollouts; SELECT $$ $$',
  "PIVOT rollouts ON run || E'\\' ON x USING ' ; DROP TABLE log.rollouts -- '",
  'PIVOT rollouts ON outcome /* /* */ USING count(*) */ ; DROP TABLE log.rollouts',
  'PIVOT rollouts ON outcome -- USING\n; DROP TABLE log.rollouts',
  'DROP TABLE log.rollouts -- PIVOT rollouts ON outcome USING count(*)',
  'DROP TABLE log.rollouts /* PIVOT rollouts ON outcome */',
  "INSERT INTO log.stages SELECT 'PIVOT rollouts ON outcome', 1, '3'",
  'INSERT INTO log.stages FROM (PIVOT rollouts ON outcome)',
  'CREATE TABLE made AS PIVOT rollouts ON outcome USING count(*)',
  'CREATE TEMP VIEW made AS PIVOT rollouts ON outcome USING count(*)',
  "COPY (PIVOT rollouts ON outcome USING count(*)) TO '{F}/made.csv'",
  "EXPLAIN ANALYZE COPY (PIVOT rollouts ON outcome USING count(*)) TO '{F}/made.csv'",
  'PREPARE made AS PIVOT rollouts ON outcome USING count(*)',
  'WITH gone AS (DELETE FROM log.stages RETURNING *) PIVOT gone ON run',
  'PIVOT (DELETE FROM log.stages RETURNING *) ON run',
  "PIVOT read_csv('{F}/canary.csv') ON column0 USING count(*)",
  "PIVOT (FROM read_text('{F}/canary.txt')) ON content",
  "PIVOT '{F}/canary.json' ON json USING count(*)",
  "PIVOT (PIVOT '{F}/canary.csv' ON column0) ON column0",
  "SELECT * FROM (PIVOT (FROM '{F}/canary.csv') ON column0 USING count(*))",
  "WITH a AS (PIVOT '{F}/canary.csv' ON column0) FROM a",
  `WITH "a" AS (SELECT 1) PIVOT "{F}/canary.csv" ON column0`,
  `WITH "{F}/canary.csv IN" AS (SELECT 1 AS a) PIVOT "{F}/canary.csv" ON a`,
  "PIVOT rollouts ON outcome USING any_value((SELECT content FROM read_text('{F}/canary.txt')))",
  "PIVOT rollouts JOIN '{F}/canary.csv' ON true ON outcome",
  "PIVOT rollouts ON outcome, current_setting('home_directory')",
  "PIVOT rollouts ON nextval('log.numbers')",
  'PIVOT duckdb_secrets() ON name',
  "PIVOT 'https://127.0.0.1/canary.parquet' ON a",
  "EXPLAIN PIVOT '{F}/canary.csv' ON column0",
  "DESCRIBE PIVOT '{F}/canary.csv' ON column0",
  "SUMMARIZE PIVOT read_csv('{F}/canary.csv') ON column0",
  'PIVOT rollouts ON outcome IN __pivot_enum_made USING count(*)',
];

const several = [
  'SELECT 1; SELECT 2',
  'SELECT 1; DROP TABLE log.rollouts',
  'DROP TABLE log.rollouts; SELECT 1',
  ';;SELECT 1;; SET threads = 1;;',
  'SELECT 1 --\n; DROP TABLE log.rollouts',
  'SELECT 1 /* ; */ ; /* */ DROP TABLE log.rollouts',
  "SELECT ';' ; ATTACH ':memory:'",
  'SELECT $$ ; $$ ; CHECKPOINT',
  'SELECT 1\u00a0;\u2003DROP TABLE log.rollouts',
  'SELECT 1 \0; DROP TABLE log.rollouts',
  'EXPLAIN SELECT 1; DROP TABLE log.rollouts',
  'BEGIN; DROP TABLE log.rollouts; COMMIT',
  '; EXPLAIN ANALYZE CREATE TEMP TABLE made AS SELECT 1',
  "SELECT 1) TO '{F}/made.csv'; --",
];

/** What DuckDB answers, as it tells only of itself: settings that are made here, in an instance that ends with the question. */
const harmless = [
  'FROM duckdb_settings()',
  'FROM duckdb_databases()',
  'FROM duckdb_databases',
  'FROM duckdb_temporary_files()',
  'FROM duckdb_variables()',
  'FROM duckdb_logs',
  'FROM pragma_database_list',
  'FROM pg_settings',
  'FROM pg_catalog.pg_settings',
  'FROM system.pg_catalog.pg_settings',
  'FROM pragma_user_agent()',
  "SELECT current_setting('temp_directory')",
  "SELECT CURRENT_SETTING('secret_directory')",
  `SELECT "current_setting"('home_directory')`,
  "SELECT main.current_setting('home_directory')",
  "SELECT * REPLACE (current_setting('threads') AS run) FROM rollouts",
  "SELECT 1 ORDER BY current_setting('threads')",
  "SELECT count(*) FILTER (current_setting('threads') = '1')",
  "SELECT sum(1) OVER (PARTITION BY current_setting('threads'))",
  "SELECT DISTINCT ON (current_setting('threads')) 1",
  'PIVOT duckdb_settings() ON name USING any_value(value)',
  'PIVOT pg_settings ON name',
  'FROM disable_logging()',
  'FROM truncate_duckdb_logs()',
  "SELECT write_log('x')",
  'SELECT * FROM checkpoint()',
  "SELECT json_serialize_plan('FROM ''{F}/canary.csv''')",
];

/** More of what takes a name of a file, of a host, of an extension or of a setting. */
const more = [
  "FROM enable_profiling(save_location = '{F}/made')",
  "FROM enable_profiling(format = 'json', save_location = '{F}/made', mode = 'detailed')",
  "FROM query('FROM enable_prof' || 'iling(save_location = ''{F}/made'')')",
  "FROM system.main.enable_profiling(save_location = '{F}/made')",
  "FROM enable_profiling(['{F}/canary.txt'])",
  "FROM enable_logging(storage = 'file', storage_path = '{F}/made')",
  "FROM enable_logging('QueryLog', storage = 'file', storage_config = {'path': '{F}/made'})",
  "FROM read_json_auto('{F}/canary.json')",
  "FROM read_ndjson('{F}/canary.json')",
  "FROM read_json_objects('{F}/canary.json')",
  "FROM parquet_scan('{F}/canary.parquet')",
  "FROM parquet_schema('{F}/canary.parquet')",
  "FROM parquet_kv_metadata('{F}/canary.parquet')",
  "FROM parquet_bloom_probe('{F}/canary.parquet', 'a', 1)",
  "FROM read_csv('{F}/canary.csv', files_to_sniff = 1)",
  "FROM read_csv(['{F}/canary.csv', '{F}/canary.txt'], union_by_name = true)",
  "FROM read_text(list_value('{F}/canary.txt'))",
  "FROM read_blob('/proc/self/environ')",
  "FROM read_text('/dev/fd/0')",
  "FROM glob('/proc/self/fd/*')",
  "FROM 'data:text/csv,a'",
  "FROM '//127.0.0.1/share/canary.csv'",
  "FROM '~/canary.csv'",
  "FROM 'azure://container/canary.parquet'",
  "FROM 'gcs://bucket/canary.parquet'",
  "FROM sqlite_scan('{F}/canary.db', 'a')",
  "FROM postgres_scan('host=127.0.0.1', 'public', 'a')",
  "FROM mysql_query('host=127.0.0.1', 'SELECT 1')",
  "FROM delta_scan('{F}')",
  "FROM iceberg_scan('{F}')",
  "FROM st_read('{F}/canary.json')",
  "FROM read_xlsx('{F}/canary.xlsx')",
  "FROM query('SELECT * FROM read_text(''{F}/canary.txt'')')",
  "FROM query('INSTALL httpfs')",
  "FROM query('SET threads = 1')",
  "FROM query('SELECT 1; SELECT 2')",
  "FROM query_table(['{F}/canary.csv', '{F}/canary.txt'])",
  'FROM arrow_scan(1, 2, 3)',
  "FROM pandas_scan('a')",
  "FROM python_map_function('a')",
  "SELECT content FROM (SELECT '{F}/canary.txt' AS f), LATERAL (FROM read_text(f))",
  "SELECT (FROM read_text('{F}/canary.txt') SELECT content)",
  "SELECT list_transform([1], lambda x: (SELECT content FROM read_text('{F}/canary.txt')))",
  "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r, read_text('{F}/canary.txt') WHERE i < 3) FROM r",
  "EXPLAIN (ANALYZE, FORMAT json) COPY (SELECT 1) TO '{F}/made.csv'",
  "EXPLAIN ANALYZE ATTACH '{F}/made.duckdb'",
  'EXPLAIN ANALYZE INSTALL httpfs',
  "EXPLAIN ANALYZE SET memory_limit = '1TB'",
  'EXPLAIN (FORMAT json, ANALYZE) CREATE TEMP TABLE made AS SELECT 1',
  "EXPLAIN (SELECT 1) COPY (SELECT 1) TO '{F}/made.csv'",
  'EXPLAIN VERBOSE ANALYZE VACUUM',
  "COPY (SELECT 1) TO '{F}/made' (FORMAT parquet, PARTITION_BY (a))",
  "COPY (SELECT 1) TO 'pipe:cat > {F}/made'",
  "COPY (SELECT 1) TO PROGRAM 'touch {F}/made'",
  "SET VARIABLE f = '{F}/canary.csv'; FROM read_csv(getvariable('f'))",
  "SET disabled_filesystems = ''",
  'SET enable_external_access = true',
  'SET lock_configuration = false',
  "SET allowed_directories = ['/']",
  "SET allowed_paths = ['{F}/canary.csv']",
  'SET allow_unsigned_extensions = true',
  "SET extension_directory = '{F}/made'",
  "SET custom_extension_repository = '{W}'",
  "SET secret_directory = '{F}/made'",
  "SET log_query_path = '{F}/made'",
  "SET profiling_output = '{F}/made'",
  "SET http_proxy = '{W}'",
  "SET max_temp_directory_size = '1TB'",
  'RESET GLOBAL enable_external_access',
  'PRAGMA lock_configuration = false',
  'PRAGMA enable_progress_bar',
  'PRAGMA disable_checkpoint_on_shutdown',
  'CALL enable_profiling()',
  "CALL read_text('{F}/canary.txt')",
  "ATTACH 'postgres:host=127.0.0.1' AS made",
  "ATTACH IF NOT EXISTS '{F}/canary.csv' (TYPE sqlite)",
  "LOAD '/tmp/canary.so'",
  'ALTER DATABASE tables RENAME TO made',
  'DROP SCHEMA main CASCADE',
  "SELECT setval('log.numbers', 1)",
  "SELECT getvariable('made'), shell('touch {F}/made')",
  'CHECKPOINT tables',
  'START TRANSACTION; COMMIT',
  '; ; PRAGMA database_list',
  '/* SELECT */ PRAGMA database_list',
  '-- SELECT\nPRAGMA database_list',
  '(PRAGMA database_list)',
  'SELECT 1; -- \n;PRAGMA database_list',
];

it.each([...writing, ...files, ...reaching, ...settings, ...pivots, ...several, ...more])('refuses %j', async (sql) => {
  const refused = await questions.ask(placed(sql)).then(rowsOf, (error: unknown) => error);
  expect(refused).toBeInstanceOf(IcecoreError);
  expect(['bad-input', 'not-found']).toContain((refused as IcecoreError).kind);
  expect(String((refused as IcecoreError).message)).not.toContain(canary);
});

it.each(harmless)('does nothing and tells nothing to %j', async (sql) => {
  const answered = JSON.stringify(await questions.ask(placed(sql)).then(rowsOf));
  for (const secret of [homedir(), canary]) expect(answered).not.toContain(secret);
});

it('changes no setting for the question after it, whatever a question calls', async () => {
  const all = 'SELECT name, value FROM duckdb_settings() ORDER BY name';
  const asBefore = await rowsOf(await questions.ask(all));
  for (const sql of harmless) await questions.ask(placed(sql)).then(rowsOf);
  expect(await rowsOf(await questions.ask(all))).toEqual(asBefore);
});

it('ends one that sleeps when its time is up', async () => {
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

async function toldBy(sql: string): Promise<string> {
  try {
    return JSON.stringify(await rowsOf(await questions.ask(sql)));
  } catch (fault) {
    expect(fault, sql).toBeInstanceOf(IcecoreError);
    expect(['bad-input', 'not-found'], `${sql}: ${String(fault)}`).toContain((fault as IcecoreError).kind);
    return String(fault);
  }
}

it('no table function of DuckDB reaches a file, whatever it takes', async () => {
  const all = await functionsWhere("function_type IN ('table', 'table_macro', 'pragma')");
  expect(all.length).toBeGreaterThan(100);
  const [csv, text] = [join(sample.folder, 'canary.csv'), join(sample.folder, 'canary.txt')];
  // These print what is asked after them: the tests of the process of questions call them.
  const silent = all.filter((name) => name !== 'enable_profiling' && name !== 'enable_logging');
  for (const name of silent)
    for (const given of ['', `'${csv}'`, `['${text}']`])
      expect(await toldBy(`SELECT * FROM "${name}"(${given})`), name).not.toContain(canary);
});

it('knows every function of DuckDB that does more than compute from its arguments', async () => {
  const harmlessOnes = new Set(
    `current_connection_id current_query current_query_id current_transaction_id error gen_random_uuid random setseed
     stats uuid uuidv4 uuidv7`.split(/\s+/),
  );
  const volatile = await functionsWhere("stability = 'VOLATILE' AND function_type = 'scalar'");
  const others = volatile.filter((name) => !harmlessOnes.has(name));
  expect(others).toEqual(['currval', 'nextval', 'sleep_ms', 'write_log']);
  for (const name of others) await toldBy(`SELECT ${name}('x')`);
});

it('cannot reach files even where the parser would let it', async () => {
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

it('left no trace of any of it, and goes on answering', async () => {
  expect(contents()).toEqual(before);
  expect(calls).toBe(0);
  expect(await rowsOf(await questions.ask('SELECT count(*) FROM log.rollouts'))).toEqual([['5000']]);
  expect(await rowsOf(await questions.ask('SHOW TABLES'))).toEqual([['rollouts'], ['stage_stats']]);
});

// What a file of tables holds beside the tables: which ledger it is of, how far it got, which streams it has seen, and by
// which definitions it was filled; and how views are made, documented and brought up to date.

import { createHash } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quote } from '../sql.ts';
import { fillDigest, type TableDefinition } from '../tables/definition.ts';
import { isMissingName } from '../warehouse/errors.ts';

/** The format of what stands here; another one is another icecore's, and the file is made anew. */
const format = 1;

const own = `
CREATE SCHEMA log;
CREATE TABLE log.meta (format INTEGER NOT NULL, ledger VARCHAR NOT NULL, views VARCHAR NOT NULL);
CREATE TABLE log.cursors (
  feed VARCHAR NOT NULL, cursor VARCHAR NOT NULL, digest VARCHAR NOT NULL, before VARCHAR, events BIGINT NOT NULL
);
CREATE TABLE log.definitions (name VARCHAR NOT NULL, digest VARCHAR NOT NULL, stored VARCHAR[] NOT NULL);
CREATE TABLE log.streams (
  stream VARCHAR NOT NULL, kind VARCHAR NOT NULL, run_id VARCHAR, stage BIGINT, shard BIGINT, attempt BIGINT,
  last BIGINT NOT NULL, events BIGINT NOT NULL
);
`;

/** How far a file of tables got in a feed. */
export interface Position {
  readonly cursor: string;
  /** Of the last event. */
  readonly digest: string;
  /** The cursor of the event before that; null where it was the first. */
  readonly before: string | null;
  readonly events: number;
}

export async function rowsOf(connection: DuckDBConnection, sql: string): Promise<readonly Record<string, unknown>[]> {
  return (await connection.runAndReadAll(sql)).getRowObjectsJS();
}

/** Whether the file is one of tables, in today's format, of this ledger. Somebody's own database may have a table of that name. */
export async function isOf(connection: DuckDBConnection, ledger: string): Promise<boolean> {
  try {
    const [meta] = await rowsOf(connection, 'SELECT format, ledger FROM log.meta');
    return meta?.['format'] === format && meta['ledger'] === ledger;
  } catch (error) {
    if (isMissingName(error)) return false;
    throw error;
  }
}

export async function isEmptyFile(connection: DuckDBConnection): Promise<boolean> {
  const found = await rowsOf(connection, 'SELECT 1 FROM duckdb_tables() LIMIT 1');
  return found.length === 0;
}

export async function layOut(connection: DuckDBConnection, ledger: string): Promise<void> {
  await inTransaction(connection, async () => {
    await connection.run(own);
    await connection.run(`INSERT INTO log.meta VALUES (${format}, ${quote(ledger)}, '')`);
  });
}

export async function positionOf(connection: DuckDBConnection, feed: string): Promise<Position | null> {
  const [row] = await rowsOf(connection, `SELECT * FROM log.cursors WHERE feed = ${quote(feed)}`);
  if (row === undefined) return null;
  const { cursor, digest, before, events } = row;
  return {
    cursor: String(cursor),
    digest: String(digest),
    before: before === null ? null : String(before),
    events: Number(events),
  };
}

/** Equal for files that hold the same: got as far, filled and shown by the same definitions. */
export async function markOf(connection: DuckDBConnection): Promise<string> {
  const rows = await rowsOf(
    connection,
    `SELECT m, (SELECT list(c ORDER BY feed) FROM log.cursors AS c) AS got,
       (SELECT list(d ORDER BY name) FROM log.definitions AS d) AS by FROM log.meta AS m`,
  );
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

/** What is no JSON, or not that of an event, was spooled and fills nothing: how many events that is. */
export async function unreadIn(connection: DuckDBConnection): Promise<number> {
  const filled = ['events', 'rollouts', 'failures', 'model_calls'].map((name) => `(SELECT count(*) FROM log.${name})`);
  const [row] = await rowsOf(
    connection,
    `SELECT coalesce(sum(events), 0)::BIGINT - ${filled.join(' - ')} AS unread FROM log.streams`,
  );
  return Number(row?.['unread']);
}

export async function setPosition(connection: DuckDBConnection, feed: string, position: Position): Promise<void> {
  const { cursor, digest, before, events } = position;
  const values = [feed, cursor, digest].map(quote).join(', ');
  await connection.run(`DELETE FROM log.cursors WHERE feed = ${quote(feed)}`);
  await connection.run(
    `INSERT INTO log.cursors VALUES (${values}, ${before === null ? 'NULL' : quote(before)}, ${events})`,
  );
}

/** The definitions whose tables are not filled as they say today. */
export async function outdated(
  connection: DuckDBConnection,
  definitions: readonly TableDefinition[],
): Promise<readonly TableDefinition[]> {
  const rows = await rowsOf(connection, 'SELECT name, digest FROM log.definitions');
  const digests = new Map(rows.map(({ name, digest }) => [name, digest]));
  return definitions.filter((definition) => digests.get(definition.name) !== fillDigest(definition));
}

/** Whether all tables are filled and shown as they are defined today. */
export async function isUpToDefinition(
  connection: DuckDBConnection,
  definitions: readonly TableDefinition[],
): Promise<boolean> {
  const [meta] = await rowsOf(connection, 'SELECT views FROM log.meta');
  return meta?.['views'] === viewsDigest(definitions) && (await outdated(connection, definitions)).length === 0;
}

/** Drops what was filled by other definitions than today's. */
export async function dropOutdated(
  connection: DuckDBConnection,
  definitions: readonly TableDefinition[],
): Promise<void> {
  const today = new Map(definitions.map((definition) => [definition.name, fillDigest(definition)]));
  for (const { name, digest, stored } of await rowsOf(connection, 'SELECT * FROM log.definitions')) {
    if (today.get(String(name)) === digest) continue;
    for (const table of stored as readonly string[]) await connection.run(`DROP TABLE IF EXISTS log.${table}`);
    await connection.run(`DELETE FROM log.definitions WHERE name = ${quote(String(name))}`);
  }
}

/** Makes the stored tables of a definition, empty; they count as filled by it when that is said. */
export async function makeStored(connection: DuckDBConnection, definition: TableDefinition): Promise<void> {
  for (const create of definition.stored.values()) await connection.run(create);
  const stored = [...definition.stored.keys()].map(quote).join(', ');
  await connection.run(`INSERT INTO log.definitions VALUES (${quote(definition.name)}, '', [${stored}]::VARCHAR[])`);
}

export async function markFilled(connection: DuckDBConnection, definitions: readonly TableDefinition[]): Promise<void> {
  if (definitions.length === 0) return;
  const digests = definitions.map((definition) => `(${quote(definition.name)}, ${quote(fillDigest(definition))})`);
  await connection.run(
    `UPDATE log.definitions AS filled SET digest = today.digest FROM (VALUES ${digests.join(', ')}) AS today (name, digest)
     WHERE filled.name = today.name`,
  );
}

/** Makes all views and macros anew where they are not those of today. */
export async function makeViews(connection: DuckDBConnection, definitions: readonly TableDefinition[]): Promise<void> {
  const wanted = viewsDigest(definitions);
  const [meta] = await rowsOf(connection, 'SELECT views FROM log.meta');
  if (meta?.['views'] === wanted) return;
  // Of a file that is new nothing needs to be dropped, and to look for macros takes long.
  if (meta?.['views'] !== '') await dropMade(connection);
  for (const statement of inOrder(definitions.flatMap(({ made }) => made))) await connection.run(statement);
  await connection.run(`UPDATE log.meta SET views = ${quote(wanted)}`);
}

function viewsDigest(definitions: readonly TableDefinition[]): string {
  // A view keeps the types its columns had, so that it is no longer what it says where a table has changed.
  const whole = definitions.map(({ name, meaning, columns, made, stored }) => [
    name,
    meaning,
    columns,
    made,
    [...stored],
  ]);
  return createHash('sha256').update(JSON.stringify(whole)).digest('hex');
}

async function dropMade(connection: DuckDBConnection): Promise<void> {
  const views = await rowsOf(connection, 'SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal');
  for (const { schema_name, view_name } of views)
    await connection.run(`DROP VIEW ${String(schema_name)}.${String(view_name)}`);
  const macros = await rowsOf(
    connection,
    "SELECT DISTINCT function_name FROM duckdb_functions() WHERE NOT internal AND function_type = 'macro'",
  );
  for (const { function_name } of macros) await connection.run(`DROP MACRO ${String(function_name)}`);
}

/** Each after those it names. */
export function inOrder(statements: readonly string[]): readonly string[] {
  const made = new Map(statements.map((statement) => [nameOf(statement), statement]));
  const placed = new Set<string>();
  const place = (name: string): void => {
    const statement = made.get(name);
    if (statement === undefined || placed.has(name)) return;
    placed.add(name);
    for (const other of made.keys()) if (names(statement, other)) place(other);
    order.push(statement);
  };
  const order: string[] = [];
  for (const name of made.keys()) place(name);
  return order;
}

function nameOf(statement: string): string {
  return /^CREATE (?:VIEW|MACRO) ([\w.]+)/.exec(statement)?.[1] ?? statement;
}

function names(statement: string, other: string): boolean {
  const word = other.replace('.', '\\.');
  return new RegExp(`\\b(?:FROM|JOIN)\\s+${word}\\b|(?<![\\w.])${word}\\(`).test(statement);
}

/** Macros are no table: there is nothing to see of them. */
function isShown({ columns }: TableDefinition): boolean {
  return columns.length > 0;
}

/** Writes into the file what tables and columns mean, for other programs to show. */
export async function explain(connection: DuckDBConnection, definitions: readonly TableDefinition[]): Promise<void> {
  await connection.run(definitions.filter(isShown).map(comments).join(''));
}

function comments({ name, meaning, columns, made }: TableDefinition): string {
  // A file may hold macros alone, which take no comments.
  if (!made.some((statement) => nameOf(statement) === name)) return '';
  const ofColumns = columns.map((column) => `COMMENT ON COLUMN ${name}.${column.name} IS ${quote(column.meaning)}`);
  return `${[`COMMENT ON VIEW ${name} IS ${quote(meaning)}`, ...ofColumns].join(';\n')};\n`;
}

export async function inTransaction<Result>(
  connection: DuckDBConnection,
  body: () => Promise<Result>,
): Promise<Result> {
  await connection.run('BEGIN');
  try {
    const result = await body();
    await connection.run('COMMIT');
    return result;
  } catch (error) {
    // Where the file itself is at fault there may be no transaction left to end.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

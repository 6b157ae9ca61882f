// The bookkeeping in a file of tables: its ledger, its position, the streams seen, and the definitions it was filled
// by; and how views are made, documented and updated.

import { createHash } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quote, quoteName } from '../../base/sql-quoting.ts';
import type { UnknownEvents } from '../../ledger/unknown-events.ts';
import type { TableCatalogue } from '../tables/catalogue.ts';
import { fillDigest, type TableDefinition } from '../tables/definition.ts';
import { markText } from '../warehouse/filled.ts';

/** The format of the bookkeeping; a file with another format belongs to another version and is rebuilt. */
const format = 1;

/** The columns of bookkeeping tables, by table name. */
const ownTables: ReadonlyMap<string, string> = new Map([
  ['meta', 'format INTEGER NOT NULL, ledger VARCHAR NOT NULL, views VARCHAR NOT NULL'],
  [
    'cursors',
    'feed VARCHAR NOT NULL, cursor VARCHAR NOT NULL, digest VARCHAR NOT NULL, before VARCHAR, events BIGINT NOT NULL',
  ],
  ['definitions', 'name VARCHAR NOT NULL, digest VARCHAR NOT NULL, stored VARCHAR[] NOT NULL'],
  [
    'streams',
    'stream VARCHAR NOT NULL, kind VARCHAR NOT NULL, run_id VARCHAR, stage BIGINT, part VARCHAR, shard BIGINT, attempt BIGINT, last BIGINT NOT NULL, events BIGINT NOT NULL',
  ],
  // For each stream that the read model makes rows from: digests of its rows, by table.
  ['owners', 'owner VARCHAR NOT NULL, digests JSON NOT NULL'],
]);

const ownCreations = [...ownTables].map(([name, columns]) => `CREATE TABLE log.${name}(${columns});`);

/** The position of a file of tables in a feed. */
export interface Position {
  readonly cursor: string;
  /** Of the last event. */
  readonly digest: string;
  /** The cursor of the previous event; null if the last one is the first. */
  readonly before: string | null;
  readonly events: number;
}

export async function rowsOf(connection: DuckDBConnection, sql: string): Promise<readonly Record<string, unknown>[]> {
  return (await connection.runAndReadAll(sql)).getRowObjectsJS();
}

/**
 * Whether the file has tables in the current format for this ledger. A foreign database may have a table of that name.
 */
export async function isOf(connection: DuckDBConnection, ledger: string): Promise<boolean> {
  if (!(await hasOwnTables(connection))) return false;
  const [meta] = await rowsOf(connection, 'SELECT format, ledger FROM log.meta');
  return meta?.['format'] === format && meta['ledger'] === ledger;
}

/** A view could have the same name, and a column could compute anything. */
async function hasOwnTables(connection: DuckDBConnection): Promise<boolean> {
  const tables = await rowsOf(connection, 'SELECT schema_name, "sql" FROM system.main.duckdb_tables()');
  const found = tables
    .filter(({ schema_name }) => schema_name === 'log')
    .map(({ sql }) => String(sql).replaceAll('"', ''));
  return ownCreations.every((creation) => found.includes(creation));
}

export async function isEmptyFile(connection: DuckDBConnection): Promise<boolean> {
  const found = await rowsOf(connection, 'SELECT 1 FROM duckdb_tables() LIMIT 1');
  return found.length === 0;
}

export async function layOut(connection: DuckDBConnection, ledger: string): Promise<void> {
  await inTransaction(connection, async () => {
    const meta = `INSERT INTO log.meta VALUES (${format}, ${quote(ledger)}, '')`;
    await runAll(connection, ['CREATE SCHEMA log', ...ownCreations, meta]);
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

/** Equal for files with the same content: the same position and the same definitions. */
export async function markOf(connection: DuckDBConnection): Promise<string> {
  const rows = await rowsOf(
    connection,
    `SELECT m, (SELECT list(c ORDER BY feed) FROM log.cursors AS c) AS got,
       (SELECT list(d ORDER BY name) FROM log.definitions AS d) AS by FROM log.meta AS m`,
  );
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

/** The number of events that are not valid JSON or not valid events: they were staged but filled nothing. */
export async function unreadIn(connection: DuckDBConnection): Promise<number> {
  const filled = ['events', 'rollouts', 'failures', 'model_calls'].map((name) => `(SELECT count(*) FROM log.${name})`);
  const [row] = await rowsOf(
    connection,
    `SELECT coalesce(sum(events), 0)::BIGINT - ${filled.join(' - ')} AS unread FROM log.streams`,
  );
  return Number(row?.['unread']);
}

/** They are in table `events`, because nothing defines how else to fill them. */
export async function unknownIn(
  connection: DuckDBConnection,
  { types, ownTypes }: Pick<TableCatalogue, 'types' | 'ownTypes'>,
): Promise<readonly UnknownEvents[]> {
  const known = Array.from(types, ([type, { versions }]) => `(${quote(type)}, ${versions.length})`);
  const rows = await rowsOf(
    connection,
    `SELECT e.type, e.version, count(*) AS events FROM log.events AS e
     LEFT JOIN (VALUES ${known.join(', ')}) AS known (type, newest)
       ON e.type = known.type AND e.version BETWEEN 1 AND known.newest
     WHERE known.type IS NULL AND e.type IS NOT NULL AND e.version IS NOT NULL
     GROUP BY ALL ORDER BY ALL`,
  );
  const unknown = rows.filter(({ type }) => !ownTypes.has(String(type)));
  return unknown.map(({ type, version, events }) => ({
    type: String(type),
    version: Number(version),
    events: Number(events),
  }));
}

export async function setPosition(connection: DuckDBConnection, feed: string, position: Position): Promise<void> {
  const { cursor, digest, before, events } = position;
  const values = [feed, cursor, digest].map(quote).join(', ');
  await connection.run(`DELETE FROM log.cursors WHERE feed = ${quote(feed)}`);
  await connection.run(
    `INSERT INTO log.cursors VALUES (${values}, ${before === null ? 'NULL' : quote(before)}, ${events})`,
  );
}

/** The definitions whose tables are not filled as currently defined. */
export async function outdated(
  connection: DuckDBConnection,
  { definitions, fingerprints }: TableCatalogue,
): Promise<readonly TableDefinition[]> {
  const rows = await rowsOf(connection, 'SELECT name, digest FROM log.definitions');
  const digests = new Map(rows.map(({ name, digest }) => [name, digest]));
  return definitions.filter((definition) => digests.get(definition.name) !== fillDigest(definition, fingerprints));
}

/** Whether all tables are filled and shown as currently defined. */
export async function isUpToDefinition(connection: DuckDBConnection, catalogue: TableCatalogue): Promise<boolean> {
  const [meta] = await rowsOf(connection, 'SELECT views FROM log.meta');
  return meta?.['views'] === viewsDigest(catalogue.definitions) && (await outdated(connection, catalogue)).length === 0;
}

/** Drops what was filled by outdated definitions. Reads only the catalogue, never a row of a table. */
export async function dropOutdated(connection: DuckDBConnection, catalogue: TableCatalogue): Promise<void> {
  const changed = new Set((await outdated(connection, catalogue)).map(({ name }) => name));
  const current = catalogue.definitions.filter(({ name }) => !changed.has(name));
  const stays = new Set([...ownTables.keys(), ...current.flatMap(({ stored }) => [...stored.keys()])]);
  const tables = await rowsOf(connection, 'SELECT schema_name, table_name FROM system.main.duckdb_tables()');
  for (const { schema_name, table_name } of tables) {
    if (schema_name === 'log' && !stays.has(String(table_name)))
      await connection.run(`DROP TABLE log.${quoteName(String(table_name))}`);
  }
  const names = current.map(({ name }) => quote(name));
  await connection.run(
    names.length === 0
      ? 'DELETE FROM log.definitions'
      : `DELETE FROM log.definitions WHERE name NOT IN (${names.join(', ')})`,
  );
}

/** Creates the stored tables of definitions, empty; they count as filled once their digests are recorded. */
export async function makeStored(connection: DuckDBConnection, definitions: readonly TableDefinition[]): Promise<void> {
  if (definitions.length === 0) return;
  const rows = definitions.map(({ name, stored }) => {
    const tables = [...stored.keys()].map(quote).join(', ');
    return `(${quote(name)}, '', [${tables}]::VARCHAR[])`;
  });
  const creations = definitions.flatMap(({ stored }) => [...stored.values()]);
  await runAll(connection, [...creations, `INSERT INTO log.definitions VALUES ${rows.join(', ')}`]);
}

/** One call for all: the way to DuckDB and back takes longer than most of the statements. */
async function runAll(connection: DuckDBConnection, statements: readonly string[]): Promise<void> {
  // A statement may end in a comment.
  await connection.run(statements.map((statement) => `${statement.replace(/;\s*$/, '')}\n;\n`).join(''));
}

export async function markFilled(
  connection: DuckDBConnection,
  definitions: readonly TableDefinition[],
  { fingerprints }: Pick<TableCatalogue, 'fingerprints'>,
): Promise<void> {
  if (definitions.length === 0) return;
  const digests = definitions.map(
    (definition) => `(${quote(definition.name)}, ${quote(fillDigest(definition, fingerprints))})`,
  );
  await connection.run(
    `UPDATE log.definitions AS filled SET digest = today.digest FROM (VALUES ${digests.join(', ')}) AS today (name, digest)
     WHERE filled.name = today.name`,
  );
}

/** Recreates all views and macros if they are outdated. */
export async function makeViews(connection: DuckDBConnection, definitions: readonly TableDefinition[]): Promise<void> {
  const wanted = viewsDigest(definitions);
  const [meta] = await rowsOf(connection, 'SELECT views FROM log.meta');
  if (meta?.['views'] === wanted) return;
  // A new file has nothing to drop, and listing macros is slow.
  if (meta?.['views'] !== '') await dropMade(connection);
  const made = inOrder(definitions.flatMap((definition) => definition.made));
  await runAll(connection, [...made, `UPDATE log.meta SET views = ${quote(wanted)}`]);
}

/**
 * Equal if tables are filled and shown by the same definitions in the same format, and the same types are known: two
 * versions of icecore may have the same tables but know different types.
 */
export function catalogueDigest(catalogue: TableCatalogue): string {
  const known = catalogueDigests.get(catalogue);
  if (known !== undefined) return known;
  const { definitions, types, fingerprints } = catalogue;
  const fills = definitions.map((definition) => fillDigest(definition, fingerprints));
  const versions = Array.from(types, ([type, declared]) => [type, declared.versions.length]);
  const whole = [format, viewsDigest(definitions), fills, versions];
  const digest = createHash('sha256').update(JSON.stringify(whole)).digest('hex');
  catalogueDigests.set(catalogue, digest);
  return digest;
}

const catalogueDigests = new WeakMap<TableCatalogue, string>();

/** Equal for a file and a catalogue if all tables of the file are filled and shown as the catalogue defines. */
export function filledBy({ definitions, fingerprints }: TableCatalogue): string {
  const fills = definitions.map((definition) => `${definition.name} ${fillDigest(definition, fingerprints)}`);
  return markText(viewsDigest(definitions), fills);
}

function viewsDigest(definitions: readonly TableDefinition[]): string {
  // A view keeps the column types from its creation, so it becomes wrong when a table changes.
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
  const views = await rowsOf(connection, 'SELECT schema_name, view_name, internal FROM system.main.duckdb_views()');
  for (const { schema_name, view_name, internal } of views) {
    if (internal !== true) await connection.run(`DROP VIEW ${quoteNames(schema_name, view_name)}`);
  }
  const functions = await rowsOf(
    connection,
    'SELECT schema_name, function_name, function_type, internal FROM system.main.duckdb_functions()',
  );
  const macros = functions.filter(({ internal, function_type }) => internal !== true && function_type === 'macro');
  const names = new Set(macros.map(({ schema_name, function_name }) => quoteNames(schema_name, function_name)));
  for (const name of names) await connection.run(`DROP MACRO ${name}`);
}

function quoteNames(...names: readonly unknown[]): string {
  return names.map((name) => quoteName(String(name))).join('.');
}

/** Each statement after those it depends on. */
function inOrder(statements: readonly string[]): readonly string[] {
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

/** Macros are not tables. */
function isShown({ columns }: TableDefinition): boolean {
  return columns.length > 0;
}

/** Stores the meaning of tables and columns in the file, so that other programs can show them. */
export async function explain(connection: DuckDBConnection, definitions: readonly TableDefinition[]): Promise<void> {
  await connection.run(definitions.filter(isShown).map(comments).join(''));
}

function comments({ name, meaning, columns, made }: TableDefinition): string {
  // A definition may consist of macros only, which take no comments.
  if (!made.some((statement) => nameOf(statement) === name)) return '';
  const ofColumns = columns.map(
    (column) => `COMMENT ON COLUMN ${name}.${quoteName(column.name)} IS ${quote(column.meaning)}`,
  );
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
    // If the file itself is at fault there may be no transaction left to end.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

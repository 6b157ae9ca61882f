// Whether a statement may be asked. DuckDB's own parser says what it is and what it names, before DuckDB looks at any of it:
// preparing a statement would already open the files it names, and merely splitting a text into statements carries out some
// of them.
import type { DuckDBConnection } from '@duckdb/node-api';
import { parseJson } from '../../../schemas/json-text.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import { type Catalogue, mainSchema, tableMacros } from './catalogue.ts';
import { allowedStatements, BrokenSql, RefusedStatement, UnknownName } from './errors.ts';
import { marked } from './pivots.ts';
import { placeAt } from './place.ts';
import { type Reference, referencesIn } from './tree.ts';
import {
  allowedListings,
  allowedSystemTables,
  allowedTableFunctions,
  describingSchema,
  refusedFunctions,
} from './vocabulary.ts';
import { explainedFrom, isSeveral, withoutComments, wordsOf } from './words.ts';

export interface Judged {
  /** What to run: what was judged, and nothing else. */
  readonly sql: string;
  /** The tables it names, for telling which columns there are. */
  readonly tables: readonly string[];
  readonly isExplained: boolean;
  /** For how many pivoted expressions DuckDB is to find the columns first. */
  readonly pivots: number;
}

interface Parsed {
  readonly error: boolean;
  readonly error_type?: string;
  readonly error_message?: string;
  readonly position?: string;
  readonly statements?: readonly unknown[];
}

/** Throws RefusedStatement, BrokenSql, UnknownName. */
export async function judge(connection: DuckDBConnection, catalogue: Catalogue, sql: string): Promise<Judged> {
  if (sql.includes('\0')) throw new BrokenSql('the text holds a NUL character', null, 'Remove it.');
  const begin = explainedFrom(sql) ?? 0;
  const prefix = withoutComments(sql, begin);
  const shown = prefix + sql.slice(begin);
  const { parsed, pivots, place } = await read(connection, sql.slice(begin));
  const moved = (at: number) => place(at) + Buffer.byteLength(prefix);
  requireOneQuestion(parsed, shown, moved, begin > 0);
  const references = referencesIn(parsed.statements).map((found) => ({ ...found, at: moved(found.at) }));
  const macros = references.some(isUnlisted) ? await tableMacros(connection) : new Set<string>();
  for (const reference of references) requireAllowed(reference, catalogue, macros, shown);
  const tables = references.flatMap((reference) => (reference.kind === 'table' ? [plainName(reference)] : []));
  return { sql: shown, tables, isExplained: begin > 0, pivots };
}

interface Read {
  readonly parsed: Parsed;
  readonly pivots: number;
  /** Where a place that was parsed is in what was written. */
  place(at: number): number;
}

async function read(connection: DuckDBConnection, sql: string): Promise<Read> {
  const asWritten = { parsed: await parse(connection, sql), pivots: 0, place: (at: number) => at };
  if (!asWritten.parsed.error || asWritten.parsed.error_type === 'parser') return asWritten;
  const pivoting = marked(sql);
  if (pivoting === null) return asWritten;
  const parsed = await parse(connection, pivoting.sql);
  if (parsed.error || !pivoting.areReadIn(parsed.statements)) return asWritten;
  return { parsed, pivots: pivoting.pivots, place: pivoting.unmarked };
}

async function parse(connection: DuckDBConnection, sql: string): Promise<Parsed> {
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
  return parseJson(inJson(String(reader.getRows()[0]?.[0]))) as Parsed;
}

/** DuckDB writes a number beyond the largest as Infinity, which JSON does not have. No value of a number is looked at here. */
function inJson(text: string): string {
  if (!/Infinity|NaN/.test(text)) return text;
  return text.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|-?Infinity|-?NaN/g, (token) =>
    token.startsWith('"') ? token : 'null',
  );
}

function requireOneQuestion(parsed: Parsed, sql: string, moved: (at: number) => number, isExplained: boolean): void {
  if (parsed.error_type === 'parser') throw new BrokenSql(parsed.error_message ?? '', placeOf(parsed, sql, moved));
  if ((parsed.statements?.length ?? 0) > 1 || (parsed.error && isSeveral(sql)))
    throw new RefusedStatement('more than one statement', null, 'Ask one statement at a time.');
  if (parsed.error) throw refusal(sql, isExplained);
  if (parsed.statements?.length === 0)
    throw new BrokenSql('nothing is asked', null, 'Try: SELECT * FROM runs; or SHOW TABLES;');
}

function placeOf(parsed: Parsed, sql: string, moved: (at: number) => number) {
  return parsed.position === undefined ? null : placeAt(sql, moved(Number(parsed.position)));
}

/** How a pivot says which columns it makes, where it cannot be told from its words that they are to be found. */
const nameColumns = "Name the columns it makes: PIVOT rollouts ON outcome IN ('valid', 'hole') USING count(*).";

/** What serves the purpose of a statement that is refused. */
const insteadOf: ReadonlyMap<string, string> = new Map([
  ['COPY', 'To write an answer to a file: icecore sql "FROM rollouts" --output rollouts.parquet (or .csv, .json).'],
  ['CREATE', 'For a table within one question: WITH few AS (FROM rollouts LIMIT 10) SELECT * FROM few.'],
  ['PRAGMA', 'SHOW TABLES lists the tables, DESCRIBE rollouts the columns of one.'],
  ['SET', 'Limits are set from outside: icecore sql --memory 2048 --seconds 300.'],
]);

const mayPivot: ReadonlySet<string> = new Set([...allowedStatements.split(', '), 'PIVOT_WIDER', 'DESC', '(']);

function refusal(sql: string, isExplained: boolean): RefusedStatement {
  const words = wordsOf(sql).map(({ text }) => text);
  const first = words.find((text) => text !== ';') ?? '';
  if (mayPivot.has(first) && words.some((text) => text === 'PIVOT' || text === 'PIVOT_WIDER'))
    return new RefusedStatement('PIVOT without the columns to make', null, nameColumns);
  return new RefusedStatement(isExplained ? 'EXPLAIN of this statement' : first, null, insteadOf.get(first));
}

const isUnlisted = ({ kind, name }: Reference): boolean =>
  kind === 'table function' && !allowedTableFunctions.has(name);

function requireAllowed(reference: Reference, catalogue: Catalogue, macros: ReadonlySet<string>, sql: string): void {
  const { kind, name } = reference;
  const place = placeAt(sql, reference.at);
  if (kind === 'function' && refusedFunctions.has(name)) throw new RefusedStatement(`the function ${name}`, place);
  if (isUnlisted(reference) && !macros.has(name))
    throw new RefusedStatement(`the table function ${name}`, place, onlyTables);
  if (kind === 'listing' && !allowedListings.has(name)) throw new RefusedStatement(`SHOW ${name}`, place);
  if (kind === 'table' && !isKnown(reference, catalogue)) throw strangeTable(reference, catalogue, sql);
}

const onlyTables = 'A question reads the tables here and nothing else; SHOW TABLES lists them.';

type Table = Extract<Reference, { kind: 'table' }>;

function isKnown({ qualifiers, name }: Table, catalogue: Catalogue): boolean {
  const { database, tables } = catalogue;
  const [schema = mainSchema, ...more] =
    qualifiers[0] === database && !tables.has(database) ? qualifiers.slice(1) : qualifiers;
  if (more.length > 0) return false;
  if (schema === describingSchema || tables.get(schema)?.has(name) === true) return true;
  return qualifiers.length === 0 && allowedSystemTables.has(name);
}

/** As tables are called here: those of main by their name alone. */
function plainName({ qualifiers, name }: Table): string {
  const schema = qualifiers.at(-1) ?? mainSchema;
  return schema === mainSchema ? name : `${schema}.${name}`;
}

function strangeTable({ qualifiers, name, at }: Table, { tables }: Catalogue, sql: string): Error {
  const place = placeAt(sql, at);
  const written = [...qualifiers, name].join('.');
  if (/[./\\:*?]/.test(name)) return new RefusedStatement(`reading from "${written}"`, place, onlyTables);
  if (/^(?:duckdb_|pg_|pragma_|sqlite_)/.test(name) || qualifiers.includes('pg_catalog'))
    return new RefusedStatement(`the system table ${written}`, place, onlyTables);
  const known = [...(tables.get(qualifiers.at(-1) ?? mainSchema) ?? tables.get(mainSchema) ?? [])].sort();
  const elsewhere = [...tables].flatMap(([schema, names]) => (names.has(name) ? [`${schema}.${name}`] : []));
  const near = elsewhere.length > 0 ? elsewhere : nearestNames(name, known);
  return new UnknownName('table', written, place, { near, known });
}

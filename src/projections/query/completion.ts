// Completions for a query text. DuckDB says what kind of name may follow; the tables, columns and functions are looked
// up here, because DuckDB suggests at most a hundred names, most of them useless in a query.
import type { DuckDBConnection } from '@duckdb/node-api';
import { endsWithinText, wordsOf } from '../../base/sql-lexer.ts';
import { allowedStatements, indexAt } from './errors.ts';
import {
  columnsByTable,
  computingFunctions,
  type Mentioned,
  mainSchema,
  mentionedIn,
  type Tables,
  tablesOfMain,
} from './names.ts';

export interface Completion {
  /** With a trailing blank for a keyword. */
  readonly suggestion: string;
  /** The index in the text from which the suggestion replaces it. */
  readonly start: number;
}

interface Offered extends Completion {
  /** `keyword`, `column`, `table`, ... as DuckDB names its kinds. */
  readonly kind: string;
}

export async function completionsOf(connection: DuckDBConnection, text: string): Promise<readonly Completion[]> {
  const words = wordsOf(text);
  if (endsWithinText(text)) return [];
  const tables = await columnsByTable(connection);
  const mentioned = mentionedIn(words, tables);
  const [dotted, qualifier = '', member = ''] = words.at(-1)?.to === text.length ? (behindDot.exec(text) ?? []) : [];
  if (dotted !== undefined) return fitting(membersOf(qualifier.slice(0, -1), tables, mentioned), text, member.length);
  const offered = await offeredBy(connection, text);
  const start = offered[0]?.start ?? text.length;
  const expected = await expectedBy(connection, text.slice(0, start), offered);
  const isFirst = words.every(({ text, from }) => from >= start || text === ';');
  const names = await namesFor({ connection, tables, mentioned, expected, isTyping: start < text.length });
  return fitting([...names, ...keywordsOf(offered, expected, isFirst)], text, text.length - start);
}

const behindDot = /((?:[\p{L}_][\p{L}\p{N}_$]*\.)+)([\p{L}_][\p{L}\p{N}_$]*)?$/u;

function fitting(suggestions: readonly string[], text: string, typedLength: number): readonly Completion[] {
  const start = text.length - typedLength;
  const typed = text.slice(start).replace(/^"/, '').toLowerCase();
  return [...new Set(suggestions)]
    .filter((suggestion) => suggestion.replace(/^"/, '').toLowerCase().startsWith(typed))
    .map((suggestion) => ({ suggestion, start }));
}

/** Columns of a table, tables of a schema. */
function membersOf(written: string, tables: Tables, { called }: Mentioned): readonly string[] {
  const qualifier = written.toLowerCase();
  const columns = tables.get(called.get(qualifier) ?? qualifier);
  if (columns !== undefined) return columns.map(asWritten);
  if (qualifier === mainSchema) return tablesOfMain(tables);
  const inSchema = [...tables.keys()].filter((name) => name.startsWith(`${qualifier}.`));
  return inSchema.map((name) => asWritten(name.slice(qualifier.length + 1)));
}

/** What may follow at a place, apart from keywords. */
type Expected = 'column' | 'table' | null;

interface Room {
  readonly connection: DuckDBConnection;
  readonly tables: Tables;
  readonly mentioned: Mentioned;
  readonly expected: Expected;
  readonly isTyping: boolean;
}

async function namesFor(room: Room): Promise<readonly string[]> {
  const { connection, tables, mentioned, expected, isTyping } = room;
  if (expected === 'column') {
    const columns = columnsFor(tables, mentioned);
    if (!isTyping) return columns;
    const functions = (await computingFunctions(connection)).filter((name) => !uselessFunctions.has(name));
    return [...columns, ...mentioned.called.keys(), ...functions];
  }
  if (expected !== 'table') return [];
  const main = [...mentioned.expressions.map(asWritten), ...tablesOfMain(tables)];
  if (!isTyping) return main;
  const schemas = [...tables.keys()].flatMap((name) => (name.includes('.') ? [name.replace(/\..*$/, '.')] : []));
  return [...main, ...schemas, ...tableFunctions];
}

/** The columns of the mentioned tables, otherwise those that most tables have. */
function columnsFor(tables: Tables, { tables: named }: Mentioned): readonly string[] {
  if (named.length > 0) return named.flatMap((table) => (tables.get(table) ?? []).map(asWritten));
  const count = new Map<string, number>();
  for (const table of tablesOfMain(tables))
    for (const column of tables.get(table) ?? []) count.set(column, (count.get(column) ?? 0) + 1);
  const commonest = [...count].sort(([, one], [, other]) => other - one);
  return commonest.map(([column]) => asWritten(column));
}

function keywordsOf(offered: readonly Offered[], expected: Expected, isFirst: boolean): readonly string[] {
  return offered.flatMap(({ suggestion, kind }) => {
    const word = suggestion.trim().toLowerCase();
    if (!/^[a-z]/.test(word) || !(kind === 'keyword' || kind === 'type')) return [];
    if (isFirst) return beginnings.has(word) ? [suggestion] : [];
    if (expected === 'column') return keywordsForColumns.has(word) ? [suggestion] : [];
    if (expected === 'table') return keywordsForTables.has(word) ? [suggestion] : [];
    return keywordsOfOthers.has(word) ? [] : [suggestion];
  });
}

const beginnings: ReadonlySet<string> = new Set([
  ...allowedStatements.toLowerCase().split(', '),
  'pivot_wider',
  'desc',
]);

/** Called without the incomplete word: with it, DuckDB suggests only similar names. */
async function expectedBy(
  connection: DuckDBConnection,
  before: string,
  offered: readonly Offered[],
): Promise<Expected> {
  const kinds = new Set([...offered, ...(await offeredBy(connection, before))].map(({ kind }) => kind));
  if (kinds.has('column')) return 'column';
  return kinds.has('table') ? 'table' : null;
}

const asWritten = (name: string): string =>
  /^[\p{Ll}_][\p{Ll}\p{N}_]*$/u.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

async function offeredBy(connection: DuckDBConnection, text: string): Promise<readonly Offered[]> {
  const reader = await connection.runAndReadAll(
    'SELECT suggestion, suggestion_start, suggestion_type FROM sql_auto_complete($1::VARCHAR)',
    [text],
  );
  return reader.getRows().map(([suggestion, at, kind]) => ({
    suggestion: String(suggestion),
    start: indexAt(text, Number(at)),
    kind: String(kind),
  }));
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** They compute rows from their arguments, or describe the tables. */
const tableFunctions = setOf(
  `range generate_series unnest repeat repeat_row json_each json_tree histogram histogram_values duckdb_columns
   duckdb_constraints duckdb_functions duckdb_indexes duckdb_keywords duckdb_schemas duckdb_tables duckdb_types duckdb_views
   pragma_show pragma_storage_info pragma_table_info pragma_version pg_timezone_names`,
);

/** They reveal facts about this machine, fail on a read-only file, or wait. */
const uselessFunctions = setOf(
  `current_setting currval getenv json_execute_serialized_sql json_serialize_plan nextval pg_sleep setval sleep_ms write_log`,
);

/** They only start or belong to statements that are not queries. */
const keywordsOfOthers = setOf(
  `abort alter attach begin call checkpoint comment commit copy create deallocate delete detach drop execute export force
   import insert install into load merge pragma prepare reset returning rollback set start truncate update use vacuum`,
);

/** Where a name is expected, DuckDB suggests every possible word; these words are not suitable. */
const keywordsForTables = setOf('select from values with lateral pivot unpivot table tables describe show summarize');
const keywordsForColumns = setOf(
  `select from case when then else end cast try_cast coalesce columns distinct all not exists null true false interval date
   timestamp map struct row lambda default extract position substring trim grouping unpack any`,
);

// What a text could go on with. DuckDB tells what may follow; which tables, columns and functions those are is told by the
// tables here, since DuckDB names at most a hundred of all it has, and most of that may not be asked.
import type { DuckDBConnection } from '@duckdb/node-api';
import { columnsByTable, computingFunctions, mainSchema } from './catalogue.ts';
import { allowedStatements } from './errors.ts';
import { type Mentioned, mentionedIn, type Tables } from './mentioned.ts';
import { indexAt } from './place.ts';
import {
  allowedTableFunctions,
  keywordsForColumns,
  keywordsForTables,
  refusedFunctions,
  refusedKeywords,
} from './vocabulary.ts';
import { wordsOf } from './words.ts';

export interface Completion {
  /** With a blank behind it where a keyword is meant. */
  readonly suggestion: string;
  /** The index in the text from which the suggestion stands in for what is there. */
  readonly start: number;
}

interface Offered extends Completion {
  /** `keyword`, `column`, `table`, ... as DuckDB names its kinds. */
  readonly kind: string;
}

export async function completionsOf(connection: DuckDBConnection, text: string): Promise<readonly Completion[]> {
  const words = wordsOf(text);
  if (words.some((word) => word.text === "'")) return [];
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

/** What may stand at a place, besides keywords. */
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
    const functions = (await computingFunctions(connection)).filter((name) => !refusedFunctions.has(name));
    return [...columns, ...mentioned.called.keys(), ...functions];
  }
  if (expected !== 'table') return [];
  const main = [...mentioned.expressions.map(asWritten), ...tablesOfMain(tables)];
  if (!isTyping) return main;
  const schemas = [...tables.keys()].flatMap((name) => (name.includes('.') ? [name.replace(/\..*$/, '.')] : []));
  return [...main, ...schemas, ...allowedTableFunctions];
}

/** Those of the tables that are named; else those that most tables have. */
function columnsFor(tables: Tables, { tables: named }: Mentioned): readonly string[] {
  if (named.length > 0) return named.flatMap((table) => (tables.get(table) ?? []).map(asWritten));
  const count = new Map<string, number>();
  for (const table of tablesOfMain(tables))
    for (const column of tables.get(table) ?? []) count.set(column, (count.get(column) ?? 0) + 1);
  const commonest = [...count].sort(([, one], [, other]) => other - one);
  return commonest.map(([column]) => asWritten(column));
}

const tablesOfMain = (tables: Tables): readonly string[] => [...tables.keys()].filter((name) => !name.includes('.'));

function keywordsOf(offered: readonly Offered[], expected: Expected, isFirst: boolean): readonly string[] {
  return offered.flatMap(({ suggestion, kind }) => {
    const word = suggestion.trim().toLowerCase();
    if (!/^[a-z]/.test(word) || !(kind === 'keyword' || kind === 'type')) return [];
    if (isFirst) return beginnings.has(word) ? [suggestion] : [];
    if (expected === 'column') return keywordsForColumns.has(word) ? [suggestion] : [];
    if (expected === 'table') return keywordsForTables.has(word) ? [suggestion] : [];
    return refusedKeywords.has(word) ? [] : [suggestion];
  });
}

const beginnings: ReadonlySet<string> = new Set([
  ...allowedStatements.toLowerCase().split(', '),
  'pivot_wider',
  'desc',
]);

/** Asked without the word that is being typed: with it, DuckDB suggests only what is similar. */
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

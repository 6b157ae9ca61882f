// Converts DuckDB's errors to icecore's errors. DuckDB reports them as JSON if it can, sometimes with a prefix; errors
// before it reads its settings, such as in opening a file, are prose that starts with the kind.
import type { DuckDBConnection } from '@duckdb/node-api';
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import { wordsOf } from '../../base/sql-lexer.ts';
import { BrokenTables, isLocked, storageFault } from '../warehouse/errors.ts';
import {
  BrokenSql,
  EngineFailed,
  type Nameable,
  type Place,
  placeAt,
  RefusedStatement,
  TooMuchMemory,
  UnknownName,
} from './errors.ts';
import { columnsByTable, functionNames, mentionedIn, tablesOfMain } from './names.ts';

interface DuckDBFault {
  /** `Parser`, `Binder`, `Out of Memory`, ... as DuckDB names its kinds. */
  readonly kind: string;
  readonly message: string;
  /** In bytes; null without a place. */
  readonly at: number | null;
  readonly subkind: string;
  /** The name that was not found or does not fit. */
  readonly name: string;
  /** The kind of `name`, if given: `Table`, `Scalar Function`, ... */
  readonly type: string;
  readonly candidates: readonly string[];
}

function faultIn(error: unknown): DuckDBFault {
  const text = error instanceof Error ? error.message : String(error);
  return inJson(text) ?? inProse(text);
}

function inJson(text: string): DuckDBFault | null {
  const begin = text.indexOf('{"exception_type"');
  if (begin < 0) return null;
  try {
    const record = parseJson(text.slice(begin)) as Readonly<Record<string, unknown>>;
    const field = (name: string): string => (typeof record[name] === 'string' ? record[name] : '');
    return {
      kind: field('exception_type'),
      message: field('exception_message'),
      at: field('position') === '' ? null : Number(field('position')),
      subkind: field('error_subtype'),
      name: field('name'),
      type: field('type'),
      candidates: field('candidates') === '' ? [] : field('candidates').split(','),
    };
  } catch {
    return null;
  }
}

/** Errors of an allocator itself, of C++ or of Node, before DuckDB's own limit applies. */
const failedAllocation = /\b[Ff]ailed to (?:re-)?allocate\b|\b[Aa]llocation fail(?:ed|ure)\b|\bbad_alloc\b/;

function inProse(text: string): DuckDBFault {
  if (failedAllocation.test(text))
    return { kind: 'Out of Memory', message: text, at: null, subkind: '', name: '', type: '', candidates: [] };
  const [, kind = '', message = text] = /^([A-Za-z ]+?) Error: ([\s\S]*)$/.exec(text) ?? [];
  return { kind, message, at: null, subkind: '', name: '', type: '', candidates: [] };
}

/** The query, and a connection to look up names. */
export interface Question {
  readonly sql: string;
  readonly path: string;
  readonly memoryMegabytes: number;
  /** Not the connection that failed. */
  readonly names: DuckDBConnection;
}

/** The file is damaged: its checksums, its length, its layout. */
const ofTheFile: ReadonlySet<string> = new Set(['IO', 'Serialization', 'Corruption']);
/** The only error of that kind that a function causes itself: it must not trigger a rebuild of the tables. */
const profilerFault = 'Invalid custom profiler settings';
const ofTheEngine: ReadonlySet<string> = new Set(['INTERNAL', 'FATAL', 'Fatal', 'Internal']);
/** What the locked instance blocks: files, the network, extensions, settings, secrets. */
const ofTheLock: ReadonlySet<string> = new Set(['Permission', 'Missing Extension', 'Invalid Configuration', 'HTTP']);

/** For a file that cannot be opened: lock errors stay unchanged, because the caller handles them. */
export function openingFault(error: unknown, path: string): unknown {
  const fault = storageFault(path, error);
  if (fault !== null) return fault;
  const found = faultIn(error);
  return ofTheFile.has(found.kind) && !isLocked(error) ? new BrokenTables(path, firstLine(found), error) : error;
}

/** An error of anything that an answer passes through, also of its format. */
export function memoryFault(error: unknown, memoryMegabytes: number): unknown {
  if (error instanceof IcecoreError || faultIn(error).kind !== 'Out of Memory') return error;
  return new TooMuchMemory(memoryMegabytes, error);
}

export async function questionFault(error: unknown, question: Question): Promise<unknown> {
  if (error instanceof IcecoreError) return error;
  const { path, memoryMegabytes, sql } = question;
  const found = faultIn(error);
  if (found.kind === 'Out of Memory') return new TooMuchMemory(memoryMegabytes, error);
  if (ofTheFile.has(found.kind) && !found.message.startsWith(profilerFault)) {
    const fault = storageFault(path, new Error(found.message, { cause: error }));
    return fault ?? new BrokenTables(path, firstLine(found), error);
  }
  if (ofTheEngine.has(found.kind)) return new EngineFailed(firstLine(found), error);
  if (ofTheLock.has(found.kind)) return lockedOut(found, sql);
  if (found.kind === '') return error;
  const extension = missingExtension(found, sql);
  if (extension !== null) return extension;
  return (await unknownName(found, question)) ?? broken(found, sql, await aliasRemedy(found, question));
}

/** DuckDB advises to install and load the extension, which the locked instance blocks. */
function missingExtension(fault: DuckDBFault, sql: string): RefusedStatement | null {
  const [, kind = '', name = '', extension] =
    /^(.+) with name "(.+)" is not in the catalog, but it exists in the (\S+) extension/.exec(fault.message) ?? [];
  if (extension === undefined) return null;
  const what = `the ${kind.toLowerCase()} "${name}" of DuckDB's extension ${extension}`;
  return new RefusedStatement(what, placeOf(fault, sql), { remedy: withoutExtensions });
}

/** DuckDB does not name the file; a quoted name that looks like a file usually is it. */
function lockedOut(fault: DuckDBFault, sql: string): RefusedStatement {
  const word = wordsOf(sql).find(({ text }) => /^['"]/.test(text) && looksLikeFile.test(text));
  if (word === undefined)
    return new RefusedStatement('reaching files, the network, extensions or settings', placeOf(fault, sql), {
      remedy: onlyTables,
    });
  const place = placeAt(sql, Buffer.byteLength(sql.slice(0, word.from)));
  return new RefusedStatement(`reading from "${word.text.slice(1, -1)}"`, place, { remedy: onlyTables });
}

const looksLikeFile = /[./\\:*?]/;
const withoutExtensions =
  'A query can use the tables and functions of DuckDB itself. For more, open a copy of the tables in DuckDB: icecore sql --path prints its path.';
const onlyTables = 'A query can only read the tables; SHOW TABLES lists them.';

async function unknownName(fault: DuckDBFault, { sql, names }: Question): Promise<Error | null> {
  const missing = missingIn(fault);
  if (missing === null) return null;
  const { kind, name } = missing;
  const place = placeOf(fault, sql);
  if (kind === 'table' && looksLikeFile.test(name))
    return new RefusedStatement(`reading from "${name}"`, place, { remedy: onlyTables });
  const known = await knownNames(kind, name, sql, names);
  const meant = kind === 'column' ? meantBy(name, known.names) : [];
  const others = kind === 'column' ? fault.candidates : [];
  const near = meant.length > 0 ? meant : (known.near ?? nearestNames(name, [...known.names, ...others]));
  const mayBeText = kind === 'column' && (isCompared(name, sql) || (near.length === 0 && isInDoubleQuotes(fault, sql)));
  const remedy = mayBeText ? `Write a text in single quotes: '${name}'.` : '';
  return new UnknownName(kind, name, place, { near, known: kind === 'function' ? [] : known.names, remedy });
}

/** Rates are called valid, but of a single rollout the column is success, and some tables have rates as rows. */
function meantBy(column: string, known: readonly string[]): readonly string[] {
  if (column.toLowerCase() !== 'valid') return [];
  if (known.includes('success')) return ['success'];
  return ['measure', 'value'].every((name) => known.includes(name)) ? ["value ... WHERE measure = 'valid'"] : [];
}

/** `WHERE run = mine`: where a value is expected, a name that no column has is a text without its quotes. */
function isCompared(name: string, sql: string): boolean {
  return /^[\w-]+$/.test(name) && new RegExp(`(=|<>|\\blike|\\bin\\s*\\()\\s*${name}(?![\\w.])`, 'i').test(sql);
}

const isInDoubleQuotes = ({ at }: DuckDBFault, sql: string): boolean =>
  at !== null && Buffer.from(sql).subarray(at).toString().startsWith('"');

interface KnownNames {
  readonly names: readonly string[];
  /** The exact name in another schema. */
  readonly near?: readonly string[] | undefined;
}

/** DuckDB's own suggestions include any name, however different. */
async function knownNames(kind: Nameable, name: string, sql: string, names: DuckDBConnection): Promise<KnownNames> {
  if (kind === 'function') return { names: await functionNames(names) };
  const columns = await columnsByTable(names);
  if (kind === 'column') {
    const { tables } = mentionedIn(wordsOf(sql), columns);
    return { names: [...new Set(tables.flatMap((table) => columns.get(table) ?? []))] };
  }
  const elsewhere = [...columns.keys()].filter((table) => table.endsWith(`.${name.toLowerCase()}`));
  return { names: [...tablesOfMain(columns)].sort(), near: elsewhere.length > 0 ? elsewhere : undefined };
}

function missingIn({ kind, subkind, type, name, message }: DuckDBFault): { kind: Nameable; name: string } | null {
  if (subkind === 'COLUMN_NOT_FOUND') return { kind: 'column', name };
  if (subkind === 'MISSING_ENTRY')
    return type === 'Type' ? null : { kind: type.endsWith('Function') ? 'function' : 'table', name };
  if (kind !== 'Binder') return null;
  const [, column] = /does not have a column named "(.+)"/.exec(message) ?? [];
  if (column !== undefined) return { kind: 'column', name: column };
  const [, table] = /^Referenced table "(.+)" not found/.exec(message) ?? [];
  return table === undefined ? null : { kind: 'table', name: table };
}

/** The maximum number of function signatures in a message. */
const mostForms = 4;

/** Words such as `share` may name a column, but are no alias without AS; empty if the error is about no such word. */
async function aliasRemedy({ message }: DuckDBFault, { names }: Question): Promise<string> {
  const [, word] = /^syntax error at or near "([A-Za-z_]+)"/.exec(message) ?? [];
  if (word === undefined) return '';
  const found = await names.runAndReadAll(
    `SELECT 1 FROM duckdb_keywords()
     WHERE keyword_name = lower($1::VARCHAR) AND keyword_category IN ('unreserved', 'column_name')`,
    [word],
  );
  return found.getRows().length === 0 ? '' : `If ${word} is an alias, write AS ${word}: it is also a word of SQL.`;
}

function broken(fault: DuckDBFault, sql: string, alias: string): BrokenSql {
  const forms = [...fault.message.matchAll(/^\t(?!Candidate)(.+)$/gm)].map(([, form = '']) => form);
  const shown = forms.slice(0, mostForms).join(', ');
  const more = forms.length > mostForms ? `, and ${forms.length - mostForms} more` : '';
  const [, counts = null] = /argument types '(\w+)\((?:[^)]*\b)?BOOLEAN\b/.exec(fault.message) ?? [];
  const asNumber = counts === null ? '' : `To count true as 1 and false as 0: ${counts}(NAME::INT). `;
  const remedy =
    forms.length > 0 ? `${asNumber}There is ${shown}${more}.` : afterFirstLine(fault) || alias || grouping(fault);
  const remedies = remedy === '' && /^[\w.@-]+;?$/.test(sql.trim()) ? notAQuery : { remedy };
  return new BrokenSql(firstLine(fault), placeOf(fault, sql), remedies);
}

const notAQuery = {
  remedy: 'A query starts with SELECT or FROM.',
  commandRemedy:
    'A query starts with SELECT or FROM; icecore sql --recipe NAME RUN answers common questions about a run.',
};

/** `GROUP BY ALL` overlooks columns in a window function over aggregates. */
function grouping({ message }: DuckDBFault): string {
  return message.startsWith('Cannot mix aggregates')
    ? 'Name each column that is in no aggregate after GROUP BY, instead of GROUP BY ALL.'
    : '';
}

const placeOf = ({ at }: DuckDBFault, sql: string): Place | null => (at === null ? null : placeAt(sql, at));

const firstLine = ({ message }: DuckDBFault): string => (message.split('\n', 1)[0] ?? '').trim();

function afterFirstLine({ message }: DuckDBFault): string {
  const more = message.split('\n').slice(1).join(' ').trim();
  return /^(?:Candidate|Did you mean|Use "SET )/.test(more) ? '' : more;
}

// What DuckDB throws, turned into errors that say what it means here. Names are compared with those of the tables the
// question names: DuckDB's own suggestions hold whatever it has, however far away.
import type { DuckDBConnection } from '@duckdb/node-api';
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import { BrokenTables, storageFault } from '../warehouse/errors.ts';
import { columnsByTable, functionNames } from './catalogue.ts';
import { BrokenSql, EngineFailed, type Nameable, TooMuchMemory, UnknownName } from './errors.ts';
import type { Judged } from './judging.ts';
import { type Place, placeAt } from './place.ts';
import { type Said, saidBy } from './said.ts';

export interface Asked {
  readonly path: string;
  readonly memoryMegabytes: number;
  /** For looking up names; not the one that failed. */
  readonly names: DuckDBConnection;
}

/** The file cannot be read as what it was written: its checksums, its length, its layout. */
const ofTheFile: ReadonlySet<string> = new Set(['IO', 'Serialization', 'Corruption']);
const ofTheEngine: ReadonlySet<string> = new Set(['INTERNAL', 'FATAL', 'Fatal', 'Internal']);

/** The file cannot be opened: whoever opens it decides about locks, so those stay as they are. */
export function opening(error: unknown, path: string): unknown {
  const fault = storageFault(path, error);
  if (fault !== null) return fault;
  const said = saidBy(error);
  const isLocked = /Could not set lock|Conflicting lock/.test(said.message);
  return ofTheFile.has(said.kind) && !isLocked ? new BrokenTables(path, firstLine(said), error) : error;
}

export async function translated(error: unknown, judged: Judged, asked: Asked): Promise<unknown> {
  if (error instanceof IcecoreError) return error;
  const said = saidBy(error);
  if (said.kind === 'Out of Memory') return new TooMuchMemory(asked.memoryMegabytes, error);
  const fault = ofTheFile.has(said.kind) ? storageFault(asked.path, new Error(said.message, { cause: error })) : null;
  if (fault !== null) return fault;
  if (ofTheFile.has(said.kind)) return new BrokenTables(asked.path, firstLine(said), error);
  if (ofTheEngine.has(said.kind)) return new EngineFailed(firstLine(said), error);
  if (said.kind === '') return error;
  return (await unknownName(said, judged, asked)) ?? broken(said, judged);
}

async function unknownName(said: Said, judged: Judged, { names }: Asked): Promise<UnknownName | null> {
  const found = missing(said);
  if (found === null) return null;
  const known = await knownNames(found.kind, judged, names);
  const near = nearestNames(found.name, [...known, ...(found.kind === 'function' ? [] : said.candidates)]);
  const listed = found.kind === 'function' ? [] : known;
  const remedy =
    near.length === 0 && isInDoubleQuotes(said, judged) ? `A text stands in single quotes: '${found.name}'.` : '';
  return new UnknownName(found.kind, found.name, place(said, judged), { near, known: listed, remedy });
}

const isInDoubleQuotes = ({ at }: Said, { sql }: Judged): boolean =>
  at !== null && Buffer.from(sql).subarray(at).toString().startsWith('"');

async function knownNames(kind: Nameable, judged: Judged, names: DuckDBConnection): Promise<readonly string[]> {
  if (kind === 'function') return functionNames(names);
  if (kind === 'table') return [...new Set(judged.tables)];
  const columns = await columnsByTable(names);
  return [...new Set(judged.tables.flatMap((table) => columns.get(table) ?? []))];
}

function missing({ kind, subkind, type, name, message }: Said): { kind: Nameable; name: string } | null {
  if (subkind === 'COLUMN_NOT_FOUND') return { kind: 'column', name };
  if (subkind === 'MISSING_ENTRY')
    return type === 'Type' ? null : { kind: type.endsWith('Function') ? 'function' : 'table', name };
  if (kind !== 'Binder') return null;
  const [, column] = /does not have a column named "(.+)"/.exec(message) ?? [];
  if (column !== undefined) return { kind: 'column', name: column };
  const [, table] = /^Referenced table "(.+)" not found/.exec(message) ?? [];
  return table === undefined ? null : { kind: 'table', name: table };
}

/** As many ways to call a function as a message shows. */
const mostForms = 4;

function broken(said: Said, judged: Judged): BrokenSql {
  const forms = [...said.message.matchAll(/^\t(?!Candidate)(.+)$/gm)].map(([, form = '']) => form);
  const shown = forms.slice(0, mostForms).join(', ');
  const more = forms.length > mostForms ? `, and ${forms.length - mostForms} more` : '';
  const remedy = forms.length > 0 ? `There is ${shown}${more}.` : behindFirstLine(said);
  return new BrokenSql(firstLine(said), place(said, judged), remedy);
}

const place = (said: Said, { sql }: Judged): Place | null => (said.at === null ? null : placeAt(sql, said.at));

const firstLine = ({ message }: Said): string => (message.split('\n', 1)[0] ?? '').trim();

function behindFirstLine({ message }: Said): string {
  const more = message.split('\n').slice(1).join(' ').trim();
  return /^(?:Candidate|Did you mean|Use "SET )/.test(more) ? '' : more;
}

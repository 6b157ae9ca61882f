// The messages between the command and its query process: requests, replies and errors.
import { type ErrorKind, type Facts, IcecoreError } from '../../../../schemas/errors.ts';
import type { Completion, Limits } from '../../../projections/query/questions.ts';
import { BrokenTables } from '../../../projections/warehouse/errors.ts';
import type { Options, Written } from '../formats/batches.ts';
import type { Format } from '../formats/write.ts';

export interface TablesFile {
  readonly path: string;
  /** How the tables have to be filled, from `filledBy`. */
  readonly filled?: string | undefined;
}

/** With temporary disk space, which only Parquet needs. */
export interface ProcessLimits extends Limits {
  readonly diskMegabytes: number;
}

interface AnyRequest {
  readonly tables: TablesFile;
  readonly limits: ProcessLimits;
}

/** The destination of an answer, as far as its form depends on that. */
export interface Layout extends Omit<Options, 'out' | 'paint' | 'memoryMegabytes'> {
  readonly isTTY: boolean;
  readonly columns: number;
  readonly colours: boolean;
}

export interface AnswerRequest extends AnyRequest {
  readonly request: 'answer';
  readonly sql: string;
  readonly format: Format;
  readonly layout: Layout;
}

interface ParquetRequest extends AnyRequest {
  readonly request: 'parquet';
  readonly sql: string;
  /** In a folder that the command creates and removes. */
  readonly path: string;
  readonly limit: number | null;
}

interface CompletionRequest extends AnyRequest {
  readonly request: 'completions';
  readonly text: string;
}

export type Request = AnswerRequest | ParquetRequest | CompletionRequest;

/** A piece of the answer was taken, so another one may follow; neither side ever holds more than a few. */
export const taken = 'taken';

export interface Results {
  readonly answer: Written;
  readonly parquet: number;
  readonly completions: readonly Completion[];
}

export type Reply =
  | { readonly reply: 'bytes'; readonly bytes: Uint8Array }
  /** The process is not stuck. What it waits for, DuckDB or a lock, has its own limits. */
  | { readonly reply: 'alive' }
  | { readonly reply: 'done'; readonly result: unknown; readonly residentBytes: number }
  | { readonly reply: 'failed'; readonly error: ErrorRecord };

export interface ErrorRecord {
  readonly name: string;
  /** Null for unexpected errors. */
  readonly kind: ErrorKind | null;
  readonly message: string;
  readonly facts: Facts;
  readonly remedy: string;
  readonly commandRemedy: string;
  /** For a system error: what report.ts needs to name the file. */
  readonly system: { readonly code?: string; readonly path?: string; readonly syscall?: string };
}

/** DuckDB repeats unreadable input in full, however long. */
const maxCharacters = 2_000;

function cut(text: string): string {
  if (text.length <= maxCharacters) return text;
  const beginning = text.slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, '');
  return `${beginning}… (cut: ${text.length.toLocaleString('en-US')} characters in all)`;
}

function cutWithin(value: unknown): unknown {
  if (typeof value === 'string') return cut(value);
  if (Array.isArray(value)) return value.map(cutWithin);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutWithin(inner)]));
}

export function recordOf(fault: unknown): ErrorRecord {
  if (fault instanceof IcecoreError) {
    const { name, kind, message, facts, remedy, commandRemedy } = fault;
    const remedies = { remedy: cut(remedy), commandRemedy: cut(commandRemedy) };
    return { name, kind, message: cut(message), facts: cutWithin(facts) as Facts, ...remedies, system: {} };
  }
  const { name, message, code, path, syscall } = (
    fault instanceof Error ? fault : new Error(String(fault))
  ) as NodeJS.ErrnoException;
  const system = {
    ...(typeof code === 'string' ? { code } : {}),
    ...(path === undefined ? {} : { path }),
    ...(syscall === undefined ? {} : { syscall }),
  };
  return { name, kind: null, message: cut(message), facts: {}, remedy: '', commandRemedy: '', system };
}

/** An error of the query process, rethrown here. */
class QuestionFault extends IcecoreError {
  override readonly name: string;

  constructor({ name, message, facts, remedy, commandRemedy }: ErrorRecord, kind: ErrorKind) {
    super(kind, message, { facts, remedy, commandRemedy });
    this.name = name;
  }
}

export function errorFrom(record: ErrorRecord): Error {
  const { name, kind, message, facts, system } = record;
  // The caller rebuilds broken tables and recognises this error by its class.
  if (name === 'BrokenTables') return new BrokenTables(String(facts['path']), String(facts['why']));
  if (kind !== null) return new QuestionFault(record, kind);
  return Object.assign(new Error(message), system);
}

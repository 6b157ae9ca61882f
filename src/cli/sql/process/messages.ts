// The requests a question process takes, its replies, and errors on their way between the two.
import { type ErrorKind, type Facts, IcecoreError } from '../../../../schemas/errors.ts';
import type { TablesFile } from '../../../projections/query/open.ts';
import type { Completion, Limits } from '../../../projections/query/questions.ts';
import { BrokenTables } from '../../../projections/warehouse/errors.ts';
import type { Format, Options, Written } from '../formats/write.ts';

interface About {
  readonly tables: TablesFile;
  readonly limits: Limits;
}

/** Where an answer goes, as far as its form depends on that. */
export interface Layout extends Omit<Options, 'out' | 'paint'> {
  readonly isTTY: boolean;
  readonly columns: number;
  readonly colours: boolean;
}

export interface AnswerRequest extends About {
  readonly request: 'answer';
  readonly sql: string;
  readonly format: Format;
  readonly layout: Layout;
}

export interface ParquetRequest extends About {
  readonly request: 'parquet';
  readonly sql: string;
  /** A file in a folder that the command made for it, and removes. */
  readonly path: string;
  readonly limit: number | null;
}

export interface CompletionRequest extends About {
  readonly request: 'completions';
  readonly text: string;
}

export type Request = AnswerRequest | ParquetRequest | CompletionRequest;

export interface Results {
  readonly answer: Written;
  readonly parquet: number;
  readonly completions: readonly Completion[];
}

export type Reply =
  /** The process is not stuck: what it waits for, DuckDB or a lock, is limited elsewhere. */
  | { readonly reply: 'alive' }
  | { readonly reply: 'done'; readonly result: unknown; readonly residentBytes: number }
  | { readonly reply: 'failed'; readonly error: ErrorRecord };

export interface ErrorRecord {
  readonly name: string;
  /** Null where it is no error a person is meant to meet. */
  readonly kind: ErrorKind | null;
  readonly message: string;
  readonly facts: Facts;
  readonly remedy: string;
  /** For a system error: what report.ts needs to name the file. */
  readonly system: { readonly code?: string; readonly path?: string; readonly syscall?: string };
}

/** DuckDB repeats what it could not read, however long that was. */
const mostCharacters = 2_000;

function cut(text: string): string {
  if (text.length <= mostCharacters) return text;
  const last = text.charCodeAt(mostCharacters - 1);
  const kept = text.slice(0, last >= 0xd800 && last < 0xdc00 ? mostCharacters - 1 : mostCharacters);
  return `${kept}… (cut: ${text.length.toLocaleString('en-US')} characters in all)`;
}

function cutWithin(value: unknown): unknown {
  if (typeof value === 'string') return cut(value);
  if (Array.isArray(value)) return value.map(cutWithin);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutWithin(inner)]));
}

export function recordOf(fault: unknown): ErrorRecord {
  if (fault instanceof IcecoreError) {
    const { name, kind, message, facts, remedy } = fault;
    return { name, kind, message: cut(message), facts: cutWithin(facts) as Facts, remedy: cut(remedy), system: {} };
  }
  const { name, message, code, path, syscall } = (
    fault instanceof Error ? fault : new Error(String(fault))
  ) as NodeJS.ErrnoException;
  const system = {
    ...(typeof code === 'string' ? { code } : {}),
    ...(path === undefined ? {} : { path }),
    ...(syscall === undefined ? {} : { syscall }),
  };
  return { name, kind: null, message: cut(message), facts: {}, remedy: '', system };
}

/** An error of the question process, thrown again here. */
export class QuestionFault extends IcecoreError {
  override readonly name: string;

  constructor({ name, message, facts, remedy }: ErrorRecord, kind: ErrorKind) {
    super(kind, message, { facts, remedy });
    this.name = name;
  }
}

export function errorFrom(record: ErrorRecord): Error {
  const { name, kind, message, facts, system } = record;
  // Tables that are broken are made anew by who meets this error, so it has to be of its class.
  if (name === 'BrokenTables') return new BrokenTables(String(facts['path']), String(facts['why']));
  if (kind !== null) return new QuestionFault(record, kind);
  return Object.assign(new Error(message), system);
}

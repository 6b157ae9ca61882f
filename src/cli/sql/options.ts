// What the command line of `icecore sql` says: the question, how it may be answered, and in which format.
import { readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearest } from '../../../schemas/nearest.ts';
import type { Context } from '../context.ts';
import { type Format, formats, usualLimit } from './formats/write.ts';
import type { ProcessLimits } from './process/messages.ts';

export interface SqlOptions {
  readonly file?: string;
  readonly format?: string;
  readonly output?: string;
  readonly limit?: string;
  readonly seconds?: string;
  readonly memory?: string;
  readonly disk?: string;
  readonly tables?: string | true;
  readonly path?: true;
}

export type AnyFormat = Format | 'parquet';

export const allFormats: readonly AnyFormat[] = [...formats, 'parquet'];

/** How the answer is wanted. */
export interface AnswerOptions {
  readonly format: AnyFormat;
  /** The file the answer is written to, as it was named; null for standard output. */
  readonly output: string | null;
  /** Rows at most, where somebody says so; null for all. */
  readonly limit: number | null | undefined;
  readonly limits: ProcessLimits;
}

const usual: ProcessLimits = { seconds: 60, memoryMegabytes: 1024, diskMegabytes: 4096 };

/** Throws on what cannot be meant. */
export function answerOptions(
  { flags }: Pick<Context, 'flags'>,
  options: SqlOptions,
  typed: string | undefined,
): AnswerOptions {
  refuseSeveral(options, typed);
  const output = options.output ?? null;
  return {
    format: formatFor(flags.json, options.format, output),
    output,
    limit: options.limit === undefined ? undefined : rowLimit(options.limit),
    limits: {
      seconds: options.seconds === undefined ? usual.seconds : within('--seconds', options.seconds, 1, 1_000_000),
      memoryMegabytes:
        options.memory === undefined ? usual.memoryMegabytes : within('--memory', options.memory, 64, 1_000_000),
      diskMegabytes: options.disk === undefined ? usual.diskMegabytes : within('--disk', options.disk, 1, 1_000_000),
    },
  };
}

/** The rows that are shown in a format at most. */
export function limitFor(format: Format, limit: number | null | undefined): number | null {
  return limit === undefined ? usualLimit(format) : limit;
}

const endings: Readonly<Record<string, AnyFormat>> = {
  '.csv': 'csv',
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.md': 'markdown',
  '.arrow': 'arrow',
  '.arrows': 'arrow',
  '.parquet': 'parquet',
  '.txt': 'table',
};
const knownEndings = Object.keys(endings).join(', ');

function formatFor(json: boolean, named: string | undefined, output: string | null): AnyFormat {
  if (named !== undefined) return knownFormat('--format', named);
  if (output === null) return json ? 'json' : 'table';
  const format = endings[extname(output).toLowerCase()] ?? (json ? 'json' : undefined);
  if (format !== undefined) return format;
  throw new IcecoreError('usage', `--output: "${output}" does not say in which format`, {
    facts: { field: '--output', found: output, allowed: knownEndings },
    remedy: `Give it one of the endings ${knownEndings}, or name the format: --format csv`,
  });
}

function knownFormat(field: string, found: string): AnyFormat {
  const format = allFormats.find((one) => one === found);
  if (format !== undefined) return format;
  const near = nearest(found, allFormats);
  const allowed = allFormats.join(', ');
  throw new IcecoreError('usage', `${field}: found "${found}", allowed: ${allowed}`, {
    facts: { field, found, allowed: allFormats, nearest: near },
    remedy: near === null ? '' : `Did you mean ${near}?`,
  });
}

function rowLimit(found: string): number | null {
  if (found === 'all') return null;
  if (/^[1-9][0-9]{0,8}$/.test(found)) return Number(found);
  const allowed = 'a whole number from 1, or all';
  throw new IcecoreError('usage', `--limit: found "${found}", allowed: ${allowed}`, {
    facts: { field: '--limit', found, allowed },
  });
}

function within(field: string, found: string, least: number, most: number): number {
  const number = /^[0-9]{1,9}$/.test(found) ? Number(found) : Number.NaN;
  if (number >= least && number <= most) return number;
  const allowed = `a whole number from ${least} to ${most}`;
  throw new IcecoreError('usage', `${field}: found "${found}", allowed: ${allowed}`, {
    facts: { field, found, allowed },
  });
}

/** Of several things to do, one is done. */
function refuseSeveral(options: SqlOptions, typed: string | undefined): void {
  const found = [
    ...(options.tables === undefined ? [] : ['--tables']),
    ...(options.path === undefined ? [] : ['--path']),
    ...(typed === undefined ? [] : ['a question']),
    ...(options.file === undefined ? [] : ['--file']),
  ];
  if (found.length <= 1) return;
  throw new IcecoreError('usage', `found ${found.join(' and ')}, allowed: one of them`, { facts: { found } });
}

/** The question as it was typed, filed or piped; null where somebody sits at a terminal and asked none yet. */
export async function questionOf(
  { io }: Pick<Context, 'io'>,
  typed: string | undefined,
  file: string | undefined,
): Promise<string | null> {
  if (typed !== undefined && typed !== '-') return typed;
  if (file !== undefined && file !== '-') return readFileSync(resolve(io.cwd, file), 'utf8').replace(/^\ufeff/, '');
  return io.stdin.isTTY === true && typed === undefined && file === undefined ? null : await text(io.stdin);
}

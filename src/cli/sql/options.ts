// The options of `icecore sql`: the query, the limits, and the format of the answer.
import { extname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { IcecoreError } from '../../../schemas/errors.ts';
import { readGivenFile } from '../../base/given-file.ts';
import { formats } from '../../library/sql/formats/write.ts';
import type { ProcessLimits } from '../../library/sql/process/messages.ts';
import type { SqlFileOptions, SqlFormat } from '../../library/sql/rows.ts';
import type { Context } from '../context.ts';

export interface SqlOptions {
  readonly file?: string;
  readonly format?: SqlFormat;
  readonly output?: string;
  readonly limit?: number | 'all';
  readonly seconds: number;
  readonly memory: number;
  readonly disk: number;
  readonly path?: true;
  /** True: which recipes there are. */
  readonly recipe?: string | true;
}

export const allFormats: readonly SqlFormat[] = [...formats, 'parquet'];

/** The form of the answer. */
export interface AnswerForm extends SqlFileOptions {
  /** The file for the answer, as it was typed; null for standard output. */
  readonly output: string | null;
}

/** Throws on contradictory options. */
export function answerOptions(
  { flags }: Pick<Context, 'flags'>,
  options: SqlOptions,
  typed: string | undefined,
): AnswerForm & { readonly limits: ProcessLimits } {
  refuseSeveral(options, typed);
  const output = options.output ?? null;
  return {
    format: formatOf(flags.json, options.format, output),
    output,
    limit: options.limit === 'all' ? null : options.limit,
    limits: { seconds: options.seconds, memoryMegabytes: options.memory, diskMegabytes: options.disk },
  };
}

const endings: Readonly<Record<string, SqlFormat>> = {
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

function formatOf(json: boolean, named: SqlFormat | undefined, output: string | null): SqlFormat {
  if (named !== undefined) return named;
  if (output === null) return json ? 'json' : 'table';
  const format = endings[extname(output).toLowerCase()] ?? (json ? 'json' : undefined);
  if (format !== undefined) return format;
  throw new IcecoreError('usage', `--output: "${output}" does not say in which format`, {
    facts: { field: '--output', found: output, allowed: knownEndings },
    remedy: `Give it one of the endings ${knownEndings}, or name the format: --format csv`,
  });
}

/** Only one source of a query is allowed. */
function refuseSeveral(options: SqlOptions, typed: string | undefined): void {
  const found = [
    ...(options.path === undefined ? [] : ['--path']),
    ...(options.recipe === undefined ? [] : ['--recipe']),
    ...(typed === undefined || typeof options.recipe === 'string' ? [] : ['a query']),
    ...(options.file === undefined ? [] : ['--file']),
  ];
  if (found.length <= 1) return;
  throw new IcecoreError('usage', `found ${found.join(' and ')}, allowed: one of them`, { facts: { found } });
}

/** The query as typed, from a file or from standard input; null on a terminal without one. */
export async function questionOf(
  { io, signal }: Pick<Context, 'io' | 'signal'>,
  typed: string | undefined,
  file: string | undefined,
): Promise<string | null> {
  if (typed !== undefined && typed !== '-') return typed;
  if (file !== undefined && file !== '-')
    return (await readGivenFile(resolve(io.cwd, file), signal)).replace(/^\ufeff/, '');
  return io.stdin.isTTY === true && typed === undefined && file === undefined ? null : await text(io.stdin);
}

// One question and its answer, on standard output or in a file.
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { DuckDBDataChunk } from '@duckdb/node-api';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Standing, withQuestions } from '../../projections/asking.ts';
import { AnswerCut } from '../../projections/query/errors.ts';
import type { Answer, Limits, Questions } from '../../projections/query/questions.ts';
import { BrokenTables } from '../../projections/warehouse/errors.ts';
import type { Context } from '../context.ts';
import type { Sink } from '../io.ts';
import { count, counted } from '../output/quantity.ts';
import { withProgress } from '../tables/project.ts';
import { type AnyFormat, type Asked, limitFor } from './asked.ts';

/** Where questions are asked. */
export interface Room {
  readonly context: Context;
  readonly ledger: Ledger;
  readonly folder: string;
}

export async function answer(room: Room, sql: string, asked: Asked, signal = room.context.signal): Promise<void> {
  const { context } = room;
  refuseBinaryAtTerminal(context, asked);
  await questioned(room, asked.limits, signal, async (questions, standing) => {
    if (standing.behind > 0) await context.say(behindText(standing));
    const { format, output, limit } = asked;
    if (format === 'parquet') return await writeParquet(context, questions, sql, output, signal);
    const written = await toFile(context, output, async (sink) => {
      const { writeAnswer } = await import('./formats/write.ts');
      const out = output === null ? oneTime(sink) : sink;
      return await writeAnswer(answerOf(await questions.ask(sql, signal), out), format, {
        out,
        paint: context.paint,
        limit: limitFor(format, limit),
        asOf: new Date().toISOString(),
        more: '--limit N, or --format csv for all',
      });
    });
    if (output !== null) await context.say(`${counted(written.rows, 'row')} in ${output}`);
  });
}

/** Questions about tables that are up to date, or nearly; building them shows how far it is. */
export async function questioned<Result>(
  { context, ledger, folder }: Room,
  limits: Limits,
  signal: AbortSignal,
  body: (questions: Questions, standing: Standing) => Promise<Result>,
): Promise<Result> {
  return await withProgress(context, ledger, (options) =>
    withQuestions(ledger, folder, limits, { ...options, signal }, body),
  );
}

/** A sink that knows whether anything was handed out. */
interface OneTime extends Sink {
  readonly hasGivenOut?: boolean;
}

function oneTime(sink: Sink): OneTime {
  let hasGivenOut = false;
  return Object.create(sink, {
    hasGivenOut: { get: () => hasGivenOut },
    write: {
      value: (piece: string | Uint8Array) => {
        hasGivenOut = true;
        return sink.write(piece);
      },
    },
  }) as OneTime;
}

/** Rows that were handed out cannot be taken back, so the question cannot be asked again for who reads them. */
function answerOf(answer: Answer, out: OneTime): Answer {
  async function* chunks(): AsyncGenerator<DuckDBDataChunk> {
    try {
      yield* answer.chunks();
    } catch (fault) {
      throw fault instanceof BrokenTables && out.hasGivenOut === true ? new AnswerCut(fault) : fault;
    }
  }
  return { columns: answer.columns, chunks };
}

function behindText({ behind, events }: Standing): string {
  const known = `this answer knows the first ${count(events)} events`;
  return `another process keeps the tables: ${known}, and not the ${count(behind)} recorded since`;
}

const binary: readonly AnyFormat[] = ['arrow', 'parquet'];

function refuseBinaryAtTerminal({ io }: Context, { format, output }: Asked): void {
  if (!binary.includes(format) || output !== null || !io.stdout.isTTY) return;
  throw new IcecoreError('usage', `--format ${format}: a terminal cannot show it`, {
    facts: { field: '--format', found: format },
    remedy: `Name a file: --output answer.${format}`,
  });
}

async function writeParquet(
  context: Context,
  questions: Questions,
  sql: string,
  output: string | null,
  signal: AbortSignal,
): Promise<void> {
  if (output !== null) {
    const rows = await questions.writeParquet(sql, resolve(context.io.cwd, output), signal);
    await context.say(`${counted(rows, 'row')} in ${output}`);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'icecore-'));
  try {
    const path = join(folder, 'answer.parquet');
    await questions.writeParquet(sql, path, signal);
    for await (const piece of createReadStream(path)) await context.io.stdout.write(piece as Uint8Array);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A file gets its name when all is in it. */
async function toFile<Result>(
  { io }: Context,
  output: string | null,
  body: (out: Sink) => Promise<Result>,
): Promise<Result> {
  if (output === null) return await body(io.stdout);
  const path = resolve(io.cwd, output);
  const part = `${path}.part`;
  const file = await open(part, 'w');
  try {
    const write = async (piece: string | Uint8Array): Promise<void> => {
      await file.writeFile(piece);
    };
    const result = await body({ isTTY: false, isFile: true, columns: 80, write });
    await file.close();
    await rename(part, path);
    return result;
  } catch (fault) {
    await file.close();
    await rm(part, { force: true });
    throw fault;
  }
}

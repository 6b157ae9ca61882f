// One question and its answer, on standard output or in a file.
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
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
import type { Format, Written } from './formats/write.ts';
import { intoFile } from './into-file.ts';
import { Unhurried } from './unhurried.ts';

/** Where questions are asked. */
export interface Room {
  readonly context: Context;
  readonly ledger: Ledger;
  readonly folder: string;
  /** Whose tables are asked; null: those of the whole ledger. */
  readonly group: string | null;
}

export async function answer(room: Room, sql: string, asked: Asked, signal = room.context.signal): Promise<void> {
  refuseBinaryAtTerminal(room.context, asked);
  if (asked.format === 'parquet') await asParquet(room, sql, asked, signal);
  else if (asked.output === null) await atHand(room, sql, asked.format, asked, signal);
  else await inFile(room, sql, asked.format, asked.output, asked, signal);
}

/** Questions about tables that are up to date, or nearly; building them shows how far it is. */
export async function questioned<Result>(
  { context, ledger, folder, group }: Room,
  limits: Limits,
  signal: AbortSignal,
  body: (questions: Questions, standing: Standing) => Promise<Result>,
): Promise<Result> {
  if (group !== null) {
    const { withQuestionsOfGroup } = await import('../../projections/shards/asking.ts');
    return await withQuestionsOfGroup({ ledger, tables: folder, group }, limits, { signal }, body);
  }
  return await withProgress(context, ledger, (options, isThrough) =>
    withQuestions(ledger, folder, limits, { ...options, signal }, async (questions, standing) => {
      await isThrough();
      return await body(questions, standing);
    }),
  );
}

/** The tables are let go of when the query is done, also where somebody still reads. */
async function atHand(room: Room, sql: string, format: Format, asked: Asked, signal: AbortSignal): Promise<void> {
  const out = new Unhurried(room.context.io.stdout);
  try {
    await questioned(room, asked.limits, signal, async (questions, standing) => {
      const whole = unbroken(await questions.ask(sql, signal), () => out.hasGivenOut);
      await write(room, whole, format, asked, standing, out.sink);
    });
  } finally {
    await out.end();
  }
}

async function inFile(
  room: Room,
  sql: string,
  format: Format,
  output: string,
  asked: Asked,
  signal: AbortSignal,
): Promise<void> {
  const { context } = room;
  await questioned(room, asked.limits, signal, async (questions, standing) => {
    const written = await intoFile(resolve(context.io.cwd, output), async (out) =>
      write(room, await questions.ask(sql, signal), format, asked, standing, out),
    );
    await context.say(`${counted(written.rows, 'row')} in ${output}`);
  });
}

async function write(
  { context, group }: Room,
  answered: Answer,
  format: Format,
  { limit }: Asked,
  standing: Standing,
  out: Sink,
): Promise<Written> {
  const { writeAnswer } = await import('./formats/write.ts');
  await tellBehind(context, group, standing);
  return await writeAnswer(answered, format, {
    out,
    paint: context.paint,
    limit: limitFor(format, limit),
    asOf: new Date().toISOString(),
    behind: standing.behind,
    more: '--limit N, or --format csv for all',
  });
}

/** Rows that were handed out cannot be taken back, so the question cannot be asked again for who reads them. */
function unbroken(answered: Answer, hasGivenOut: () => boolean): Answer {
  async function* chunks(): AsyncGenerator<DuckDBDataChunk> {
    try {
      yield* answered.chunks();
    } catch (fault) {
      throw fault instanceof BrokenTables && hasGivenOut() ? new AnswerCut(fault) : fault;
    }
  }
  return { columns: answered.columns, chunks };
}

/** Also to who wants no prose: an answer that is old must not be taken for one that is not. */
async function tellBehind({ io }: Context, group: string | null, { behind, events }: Standing): Promise<void> {
  if (behind === 0) return;
  if (group !== null) return await io.stderr.write(groupIsBehind(group, { behind, events }));
  const known = `this answer knows the first ${count(events)} events`;
  await io.stderr.write(`another process keeps the tables: ${known}, and not the ${count(behind)} recorded since\n`);
}

function groupIsBehind(group: string, { behind, events }: Standing): string {
  const known = `the tables of group ${group} know ${counted(events, 'event')}`;
  return `${known}, and not the ${count(behind)} recorded since: icecore project --group ${group} adds them\n`;
}

const binary: readonly AnyFormat[] = ['arrow', 'parquet'];

function refuseBinaryAtTerminal({ io }: Context, { format, output }: Asked): void {
  if (!binary.includes(format) || output !== null || !io.stdout.isTTY) return;
  throw new IcecoreError('usage', `--format ${format}: a terminal cannot show it`, {
    facts: { field: '--format', found: format },
    remedy: `Name a file: --output answer.${format}`,
  });
}

async function asParquet(room: Room, sql: string, asked: Asked, signal: AbortSignal): Promise<void> {
  const { context } = room;
  const { output, limit = null } = asked;
  const writeTo = (path: string): Promise<number> =>
    questioned(room, asked.limits, signal, async (questions, standing) => {
      await tellBehind(context, room.group, standing);
      return await questions.writeParquet(sql, path, { signal, limit });
    });
  if (output !== null) {
    await context.say(`${counted(await writeTo(resolve(context.io.cwd, output)), 'row')} in ${output}`);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'icecore-'));
  try {
    const path = join(folder, 'answer.parquet');
    await writeTo(path);
    for await (const piece of createReadStream(path)) await context.io.stdout.write(piece as Uint8Array);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// One question and its answer, on standard output or in a file. The question itself runs in a process of its own.
import { createReadStream } from 'node:fs';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { count, counted } from '../../base/quantity.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { withWorkingFolder } from '../../ledger/temporary.ts';
import { type Standing, withTables } from '../../projections/asking.ts';
import { filledBy } from '../../projections/projector/layout.ts';
import { AnswerCut } from '../../projections/query/errors.ts';
import type { TablesFile } from '../../projections/query/open.ts';
import type { Completion } from '../../projections/query/questions.ts';
import { tableCatalogue } from '../../projections/tables/catalogue.ts';
import { BrokenTables } from '../../projections/warehouse/errors.ts';
import type { Context } from '../context.ts';
import type { Sink } from '../io.ts';
import { hasColours } from '../output/paint.ts';
import { withProgress } from '../tables/progress.ts';
import { unknownText, unknownTo } from '../tables/unknown.ts';
import { type AnyFormat, type Asked, limitFor } from './asked.ts';
import type { Format, Written } from './formats/write.ts';
import { intoFile } from './into-file.ts';
import type { AnswerRequest } from './process/messages.ts';
import type { QuestionProcess } from './process/question-process.ts';
import { Unhurried } from './unhurried.ts';

/** Where questions are asked. */
export interface Room {
  readonly context: Context;
  readonly ledger: Ledger;
  readonly folder: string;
  readonly process: QuestionProcess;
}

export async function answer(room: Room, sql: string, asked: Asked, signal = room.context.signal): Promise<void> {
  refuseBinaryAtTerminal(room.context, asked);
  if (asked.format === 'parquet') await asParquet(room, sql, asked, signal);
  else if (asked.output === null) await atHand(room, sql, asked.format, asked, signal);
  else await inFile(room, sql, asked.format, asked.output, asked, signal);
}

export async function completions(room: Room, text: string, { limits }: Asked): Promise<readonly Completion[]> {
  const { signal } = room.context;
  return await withTablesFile(room, signal, (tables) =>
    room.process.ask({ request: 'completions', tables, limits, text }, signal),
  );
}

/** Tables that are up to date, or nearly; building them shows how far it is. */
async function withTablesFile<Result>(
  { context, ledger, folder }: Room,
  signal: AbortSignal,
  body: (tables: TablesFile, standing: Standing) => Promise<Result>,
): Promise<Result> {
  return await withProgress(context, ledger, (options, isThrough) =>
    withTables(ledger, folder, { ...options, signal }, async (path, standing) => {
      await isThrough();
      return await body({ path, filled: filledBy(tableCatalogue()) }, standing);
    }),
  );
}

/** The tables are let go of when the query is done, also where somebody still reads. */
async function atHand(room: Room, sql: string, format: Format, asked: Asked, signal: AbortSignal): Promise<void> {
  const out = new Unhurried(room.context.io.stdout, asked.limits.diskMegabytes);
  try {
    await withTablesFile(room, signal, async (tables, standing) => {
      try {
        await write(room, { sql, format, tables, standing, asked }, out.sink, signal);
      } catch (fault) {
        // Rows that were handed out cannot be taken back, so the question cannot be asked again for who reads them.
        throw fault instanceof BrokenTables && out.hasGivenOut ? new AnswerCut(fault) : fault;
      }
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
  await withTablesFile(room, signal, async (tables, standing) => {
    const written = await intoFile(resolve(context.io.cwd, output), (out) =>
      write(room, { sql, format, tables, standing, asked }, out, signal),
    );
    await context.say(`${counted(written.rows, 'row')} in ${output}`);
  });
}

interface Query {
  readonly sql: string;
  readonly format: Format;
  readonly tables: TablesFile;
  readonly standing: Standing;
  readonly asked: Asked;
}

async function write(
  { context, process }: Room,
  { sql, format, tables, standing: found, asked: { limit, limits } }: Query,
  out: Sink,
  signal: AbortSignal,
): Promise<Written> {
  const standing = { ...found, unknown: unknownTo(context.io, found.unknown) };
  await tellStanding(context, standing);
  const request: AnswerRequest = {
    request: 'answer',
    tables,
    limits,
    sql,
    format,
    layout: {
      isTTY: out.isTTY,
      columns: out.columns,
      colours: hasColours(context.io.stdout, context.io.env),
      limit: limitFor(format, limit),
      asOf: new Date().toISOString(),
      behind: standing.behind,
      unknown: standing.unknown.reduce((sum, { events }) => sum + events, 0),
      more: '--limit N, or --format csv for all',
    },
  };
  return await process.ask(request, signal, (bytes) => out.write(bytes));
}

/** Also to who wants no prose: an answer that is old, or lacks something, must not be taken for one that is not. */
async function tellStanding({ io }: Context, standing: Standing): Promise<void> {
  const { behind, events, unknown } = standing;
  if (unknown.length > 0) await io.stderr.write(`${unknownText(unknown)}\n`);
  if (behind === 0) return;
  const known = `this answer knows the first ${count(events)} events`;
  await io.stderr.write(`another process keeps the tables: ${known}, and not the ${count(behind)} recorded since\n`);
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
  const { output, limits, limit = null } = asked;
  const writeTo = (path: string): Promise<number> =>
    withTablesFile(room, signal, async (tables, standing) => {
      await tellStanding(context, standing);
      return await room.process.ask({ request: 'parquet', tables, limits, sql, path, limit }, signal);
    });
  if (output === null)
    return await withTemporaryFolder(async (folder) => {
      const path = join(folder, 'answer.parquet');
      await writeTo(path);
      for await (const piece of createReadStream(path)) await context.io.stdout.write(piece as Uint8Array);
    });
  const path = resolve(context.io.cwd, output);
  await access(dirname(path));
  const rows = await withWorkingFolder(dirname(path), async (folder) => {
    const whole = join(folder, 'answer.parquet');
    const written = await writeTo(whole);
    const { give } = await import('../../projections/query/parquet.ts');
    await give(whole, path);
    return written;
  });
  await context.say(`${counted(rows, 'row')} in ${output}`);
}

async function withTemporaryFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'icecore-'));
  try {
    await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// What `icecore sql` does: answers one question, asks for many at a prompt, says what the tables mean, or hands out a copy of them.
// A question itself runs in a process of its own.
import { createReadStream } from 'node:fs';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { hasColours, paintFor } from '../../base/paint.ts';
import { counted } from '../../base/quantity.ts';
import type { Sink } from '../../base/sink.ts';
import { makeFolder } from '../../ledger/folders.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { withWorkingFolder } from '../../ledger/temporary.ts';
import { withLedgerToRead } from '../../library/opening/ledger.ts';
import { noticeStanding, unknownTo, withTablesFile, withTablesProgress } from '../../library/opening/tables.ts';
import type { Written } from '../../library/sql/formats/batches.ts';
import type { Format } from '../../library/sql/formats/write.ts';
import type { AnswerRequest, TablesFile } from '../../library/sql/process/messages.ts';
import { QuestionProcess } from '../../library/sql/process/question-process.ts';
import { give, intoFile } from '../../library/transfer/into-file.ts';
import type { Standing } from '../../projections/asking.ts';
import { AnswerCut } from '../../projections/query/errors.ts';
import { BrokenTables } from '../../projections/warehouse/errors.ts';
import type { Context } from '../context.ts';
import { unknownText } from '../notices.ts';
import { report } from '../report.ts';
import { Unhurried } from './destinations.ts';
import { type AnswerOptions, type AnyFormat, answerOptions, limitFor, questionOf, type SqlOptions } from './options.ts';

export async function sql(context: Context, options: SqlOptions, typed: string | undefined): Promise<number> {
  const wanted = answerOptions(context, options, typed);
  if (options.path === true) return await handOut(context);
  const question = await questionOf(context, typed, options.file);
  if (question?.trim() === '')
    throw new IcecoreError('usage', 'found no question', { remedy: 'Type one, as in: icecore sql "FROM runs"' });
  const process = new QuestionProcess(wanted.limits, wanted.format === 'parquet' ? 'parquet' : 'any format');
  try {
    process.prepare();
    return await withLedgerToRead(context.session, async (ledger) => {
      const room = { context, ledger, process };
      if (question === null) return await converse(room, wanted);
      await answer(room, question, wanted, context.signal);
      return 0;
    });
  } finally {
    await process.close();
  }
}

async function handOut(context: Context): Promise<number> {
  const { snapshotOf } = await import('../../projections/snapshot.ts');
  return await withLedgerToRead(context.session, async (ledger) => {
    const copied = await withTablesProgress(context.session, ledger, (folder, options) =>
      snapshotOf(ledger, folder, options),
    );
    const made = { ...copied, unknown: unknownTo(context.session, copied.unknown) };
    if (made.behind > 0)
      await context.say(`another process keeps the tables: this copy lacks ${counted(made.behind, 'event')}`);
    if (made.unknown.length > 0) await context.say(unknownText(made.unknown));
    if (context.flags.json) await context.printJson(made);
    else await context.print(`${made.path}\n`);
    return 0;
  });
}

/** Where questions are answered. */
interface Room {
  readonly context: Context;
  readonly ledger: Ledger;
  readonly process: QuestionProcess;
}

/** What a terminal can show. */
const shown: readonly AnyFormat[] = ['table', 'csv', 'json', 'ndjson', 'markdown'];

/** The prompt, given a ledger to ask about. Between two questions nothing is open but the ledger. */
async function converse(room: Room, options: AnswerOptions): Promise<number> {
  const { context } = room;
  const { io, signal } = context;
  const { prompt } = await import('./prompt/prompt.ts');
  const desk = {
    formats: shown,
    settings: {
      format: shown.includes(options.format) ? options.format : 'table',
      rows: limitFor('table', options.limit),
    },
    ask: async (sql: string, settings: { format: string; rows: number | null }, stop: AbortSignal) => {
      const format = shown.find((one) => one === settings.format) ?? 'table';
      await answer(room, sql, { ...options, format, limit: settings.rows, output: null }, stop);
    },
    complete: (text: string) =>
      withTablesFile(room.context.session, room.ledger, signal, (tables) =>
        room.process.ask({ request: 'completions', tables, limits: options.limits, text }, signal),
      ),
    tables: async () => (await import('./described.ts')).tablesText(context),
    schema: async (name: string | null) => (await import('./described.ts')).columnsText(context, name),
  };
  return await prompt(desk, {
    terminal: {
      input: io.stdin,
      output: Object.create(io.stdout, { rows: { get: () => process.stdout.rows } }),
      isDumb: io.env['TERM'] === 'dumb',
      paint: paintFor(io.stdout, io.env).cyan,
      onResize(listener) {
        process.stdout.on('resize', listener);
        return () => process.stdout.off('resize', listener);
      },
    },
    historyFile: historyFile(context),
    signal,
    tell: async (fault) => void (await report(fault, io, { ...context.flags, json: false })),
  });
}

/** One for each person, like those of other shells; null where there is no place for it. */
function historyFile({ io }: Pick<Context, 'io'>): string | null {
  const named = io.env['XDG_STATE_HOME'] ?? '';
  // A relative path is ignored, as the XDG specification demands.
  const state = isAbsolute(named) ? named : join(io.env['HOME'] || homedir(), '.local', 'state');
  const folder = join(state, 'icecore');
  try {
    makeFolder(folder);
    return join(folder, 'sql-history');
  } catch {
    return null;
  }
}

async function answer(room: Room, sql: string, options: AnswerOptions, signal: AbortSignal): Promise<void> {
  const { format, output } = options;
  refuseBinaryAtTerminal(room.context, options);
  if (format === 'parquet') await asParquet(room, sql, options, signal);
  else if (output === null) await toStandardOutput(room, { sql, format, options }, signal);
  else {
    const path = resolve(room.context.io.cwd, output);
    const { rows } = await withTablesFile(room.context.session, room.ledger, signal, (tables, standing) =>
      intoFile(path, (out) => write(room, { sql, format, options, tables, standing }, out, signal)),
    );
    await room.context.say(`${counted(rows, 'row')} in ${output}`);
  }
}

const binary: readonly AnyFormat[] = ['arrow', 'parquet'];

function refuseBinaryAtTerminal({ io }: Context, { format, output }: AnswerOptions): void {
  if (!binary.includes(format) || output !== null || !io.stdout.isTTY) return;
  throw new IcecoreError('usage', `--format ${format}: a terminal cannot show it`, {
    facts: { field: '--format', found: format },
    remedy: `Name a file: --output answer.${format}`,
  });
}

interface Query {
  readonly sql: string;
  readonly format: Format;
  readonly options: AnswerOptions;
}

/** The tables are let go of when the query is done, also where somebody still reads. */
async function toStandardOutput(room: Room, query: Query, signal: AbortSignal): Promise<void> {
  const out = new Unhurried(room.context.io.stdout, query.options.limits.diskMegabytes);
  try {
    await withTablesFile(room.context.session, room.ledger, signal, async (tables, standing) => {
      try {
        await write(room, { ...query, tables, standing }, out.sink, signal);
      } catch (fault) {
        // Rows that were handed out cannot be taken back, so the question cannot be asked again for who reads them.
        throw fault instanceof BrokenTables && out.hasGivenOut ? new AnswerCut(fault) : fault;
      }
    });
  } finally {
    await out.end();
  }
}

async function write(
  { context, process }: Room,
  query: Query & { readonly tables: TablesFile; readonly standing: Standing },
  out: Sink,
  signal: AbortSignal,
): Promise<Written> {
  const { io } = context;
  const { sql, format, tables, options } = query;
  const { behind, unknown } = await noticeStanding(context.session, query.standing);
  const request: AnswerRequest = {
    request: 'answer',
    tables,
    limits: options.limits,
    sql,
    format,
    layout: {
      isTTY: out.isTTY,
      columns: out.columns,
      colours: hasColours(io.stdout, io.env),
      limit: limitFor(format, options.limit),
      asOf: new Date().toISOString(),
      behind,
      unknown: unknown.reduce((sum, { events }) => sum + events, 0),
      more: '--limit N, or --format csv for all',
    },
  };
  return await process.ask(request, signal, (bytes) => out.write(bytes));
}

async function asParquet(room: Room, sql: string, options: AnswerOptions, signal: AbortSignal): Promise<void> {
  const { context } = room;
  const { output, limits, limit = null } = options;
  const within = (folder: string): Promise<{ whole: string; rows: number }> =>
    withTablesFile(room.context.session, room.ledger, signal, async (tables, standing) => {
      await noticeStanding(context.session, standing);
      const whole = join(folder, 'answer.parquet');
      const request = { request: 'parquet', tables, limits, sql, path: whole, limit } as const;
      return { whole, rows: await room.process.ask(request, signal) };
    });
  if (output === null) {
    const folder = await mkdtemp(join(tmpdir(), 'icecore-'));
    try {
      const { whole } = await within(folder);
      for await (const piece of createReadStream(whole)) await context.io.stdout.write(piece as Uint8Array);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return;
  }
  const path = resolve(context.io.cwd, output);
  await access(dirname(path));
  const written = await withWorkingFolder(dirname(path), async (folder) => {
    const { whole, rows } = await within(folder);
    await give(whole, path);
    return rows;
  });
  await context.say(`${counted(written, 'row')} in ${output}`);
}

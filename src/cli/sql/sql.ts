// What `icecore sql` does: answers one query, opens a prompt, describes the tables, or prints the path of a copy of them.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { makeFolder } from '../../base/folders.ts';
import { hasColours, paintFor } from '../../base/paint.ts';
import { counted } from '../../base/quantity.ts';
import { SqlClient } from '../../library/sql/client.ts';
import { defaultLimit } from '../../library/sql/formats/write.ts';
import type { SqlFormat } from '../../library/sql/rows.ts';
import type { Context } from '../context.ts';
import { report } from '../report.ts';
import { Unhurried } from './destinations.ts';
import { type AnswerForm, answerOptions, questionOf, type SqlOptions } from './options.ts';

export async function sql(context: Context, options: SqlOptions, typed: string | undefined): Promise<number> {
  const { limits, ...wanted } = answerOptions(context, options, typed);
  if (options.path === true) return await handOut(context);
  if (options.recipe === true) return await (await import('./recipes.ts')).listRecipes(context);
  const question =
    options.recipe === undefined
      ? await questionOf(context, typed, options.file)
      : await (await import('./recipes.ts')).recipeSqlFor(context, options.recipe, typed);
  if (question?.trim() === '')
    throw new IcecoreError('usage', 'the query is empty', { remedy: 'Type one, for example: icecore sql "FROM runs"' });
  const client = new SqlClient(context.session, limits, wanted.format === 'parquet' ? 'parquet' : 'any format');
  try {
    await client.open();
    const answering = { context, client, diskMegabytes: limits.diskMegabytes };
    if (question === null) return await converse(answering, wanted);
    await answer(answering, question, wanted, context.signal);
    return 0;
  } finally {
    await client.close();
  }
}

async function handOut(context: Context): Promise<number> {
  const { copyTables } = await import('../../library/tables.ts');
  const copy = await copyTables(context.session);
  if (context.flags.json) await context.printJson(copy);
  else await context.print(`${copy.path}\n`);
  return 0;
}

/** What answers queries. */
interface Answering {
  readonly context: Context;
  readonly client: SqlClient;
  readonly diskMegabytes: number;
}

/** The formats that a terminal can show. */
const shown: readonly SqlFormat[] = ['table', 'csv', 'json', 'ndjson', 'markdown'];

/** Runs the prompt. Between two queries only the ledger is open. */
async function converse(answering: Answering, { format, limit }: AnswerForm): Promise<number> {
  const { context, client } = answering;
  const { io, signal } = context;
  const { prompt } = await import('./prompt/prompt.ts');
  const host = {
    formats: shown,
    settings: {
      format: shown.includes(format) ? format : 'table',
      rows: limit === undefined ? defaultLimit('table') : limit,
    },
    ask: async (sql: string, settings: { format: string; rows: number | null }, stop: AbortSignal) => {
      const named = shown.find((one) => one === settings.format) ?? 'table';
      await answer(answering, sql, { format: named, limit: settings.rows, output: null }, stop);
    },
    complete: (text: string) => client.completions(text),
    tables: async () => (await import('./described.ts')).tablesText(context),
    schema: async (name: string | null) => (await import('./described.ts')).columnsText(context, name),
  };
  return await prompt(host, {
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
    showFault: async (fault) => void (await report(fault, io, { ...context.flags, json: false })),
  });
}

/** One file per user, like those of other shells; null if there is no place for it. */
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

async function answer(answering: Answering, sql: string, form: AnswerForm, signal: AbortSignal): Promise<void> {
  const { context, client, diskMegabytes } = answering;
  const { io } = context;
  const { output } = form;
  refuseBinaryAtTerminal(io, form);
  const look = { colours: hasColours(io.stdout, io.env), more: '--limit N, or --format csv for all' };
  if (output !== null) {
    const rows = await client.toFile(sql, output, { ...form, ...look }, signal);
    return await context.say(`${counted(rows, 'row')} in ${output}`);
  }
  const out = new Unhurried(io.stdout, diskMegabytes);
  try {
    await client.write(sql, out.sink, { ...form, ...look }, signal);
  } finally {
    await out.end();
  }
}

const binary: readonly SqlFormat[] = ['arrow', 'parquet'];

function refuseBinaryAtTerminal({ stdout }: Context['io'], { format, output }: AnswerForm): void {
  if (!binary.includes(format) || output !== null || !stdout.isTTY) return;
  throw new IcecoreError('usage', `--format ${format}: a terminal cannot show it`, {
    facts: { field: '--format', found: format },
    remedy: `Name a file: --output answer.${format}`,
  });
}

// What `icecore sql` does: answers one question, asks for many, says what the tables mean, or hands out a copy of them.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Context } from '../context.ts';
import { withLedgerToRead } from '../ledger.ts';
import { counted } from '../output/quantity.ts';
import { report } from '../report.ts';
import { tablesFolder } from '../tables/folder.ts';
import type { Room } from './answering.ts';
import { type Asked, askedFor, questionOf, type SqlOptions } from './asked.ts';

export async function sql(context: Context, options: SqlOptions, typed: string | undefined): Promise<number> {
  const asked = askedFor(context, options, typed);
  if (options.tables !== undefined) return await describe(context, options.tables);
  if (options.path === true) return await handOut(context);
  const question = await questionOf(context, typed, options.file);
  return await withLedgerToRead(context, async (ledger) => {
    const room = { context, ledger, folder: tablesFolder(context.io, ledger), group: options.group ?? null };
    if (question === null) return await (await import('./conversation.ts')).converse(room, asked);
    if (question.trim() === '')
      throw new IcecoreError('usage', 'found no question', { remedy: 'Type one, as in: icecore sql "FROM runs"' });
    return await answerOnce(room, question, asked);
  });
}

/** A question that cannot be stopped is told of, and takes the process with it. */
async function answerOnce(room: Room, question: string, asked: Asked): Promise<number> {
  const { answer } = await import('./answering.ts');
  const { isUnstopped } = await import('../../projections/query/errors.ts');
  const { io, flags } = room.context;
  try {
    await answer(room, question, asked);
    return 0;
  } catch (fault) {
    if (!isUnstopped(fault)) throw fault;
    const code = await report(fault, io, flags);
    io.endAtOnce?.();
    return code;
  }
}

async function describe(context: Context, name: string | true): Promise<number> {
  const { columnsText, tableNamed, tablesText } = await import('./described.ts');
  if (context.flags.json) {
    const { documentedTables } = await import('../../projections/documentation.ts');
    const rows = name === true ? await documentedTables() : [await tableNamed(name)];
    await context.printJson({ as_of: new Date().toISOString(), total: rows.length, rows, truncated: false });
  } else await context.print(name === true ? await tablesText(context) : await columnsText(context, name));
  return 0;
}

async function handOut(context: Context): Promise<number> {
  const { snapshotOf } = await import('../../projections/snapshot.ts');
  const { withProgress } = await import('../tables/project.ts');
  return await withLedgerToRead(context, async (ledger) => {
    const folder = tablesFolder(context.io, ledger);
    const made = await withProgress(context, ledger, (options) => snapshotOf(ledger, folder, options));
    if (made.behind > 0)
      await context.say(`another process keeps the tables: this copy lacks ${counted(made.behind, 'event')}`);
    if (context.flags.json) await context.printJson(made);
    else await context.print(`${made.path}\n`);
    return 0;
  });
}

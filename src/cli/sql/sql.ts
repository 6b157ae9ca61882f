// What `icecore sql` does: answers one question, asks for many, or hands out a copy of the tables.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Context } from '../context.ts';
import { withLedgerToRead } from '../ledger.ts';
import { counted } from '../output/quantity.ts';
import { tablesFolder } from '../tables/folder.ts';
import { unknownText, unknownTo } from '../tables/unknown.ts';
import { askedFor, questionOf, type SqlOptions } from './asked.ts';
import { QuestionProcess } from './process/question-process.ts';

export async function sql(context: Context, options: SqlOptions, typed: string | undefined): Promise<number> {
  const asked = askedFor(context, options, typed);
  if (options.path === true) return await handOut(context);
  const question = await questionOf(context, typed, options.file);
  if (question?.trim() === '')
    throw new IcecoreError('usage', 'found no question', { remedy: 'Type one, as in: icecore sql "FROM runs"' });
  const process = new QuestionProcess(asked.limits, asked.format === 'parquet' ? 'parquet' : 'any format');
  try {
    process.prepare();
    return await withLedgerToRead(context, async (ledger) => {
      const room = { context, ledger, folder: tablesFolder(context.io, ledger), process };
      if (question === null) return await (await import('./conversation.ts')).converse(room, asked);
      const { answer } = await import('./answering.ts');
      await answer(room, question, asked);
      return 0;
    });
  } finally {
    await process.close();
  }
}

async function handOut(context: Context): Promise<number> {
  const { snapshotOf } = await import('../../projections/snapshot.ts');
  const { withProgress } = await import('../tables/progress.ts');
  return await withLedgerToRead(context, async (ledger) => {
    const folder = tablesFolder(context.io, ledger);
    const copied = await withProgress(context, ledger, (options) => snapshotOf(ledger, folder, options));
    const made = { ...copied, unknown: unknownTo(context.io, copied.unknown) };
    if (made.behind > 0)
      await context.say(`another process keeps the tables: this copy lacks ${counted(made.behind, 'event')}`);
    if (made.unknown.length > 0) await context.say(unknownText(made.unknown));
    if (context.flags.json) await context.printJson(made);
    else await context.print(`${made.path}\n`);
    return 0;
  });
}

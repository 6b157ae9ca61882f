// What `icecore show` does: a run with its stages, or one stage in full.
import type { RunShown, StageShown } from '../../../schemas/run-output.ts';
import { notesOf } from '../../analysis/history/notes.ts';
import { type RunRead, readRun, stageOf } from '../../analysis/history/run-read.ts';
import { runShown } from '../../analysis/history/runs.ts';
import { stageShown } from '../../analysis/history/stages.ts';
import { findRun } from '../../ledger/runs.ts';
import type { Context } from '../context.ts';
import { withLedgerToRead } from '../ledger.ts';
import { afterRun, afterStage } from './next.ts';
import { runReference } from './reference.ts';
import { runText } from './run-text.ts';
import { stageText } from './stage-text.ts';

export async function show(context: Context, asked: string): Promise<number> {
  const reference = runReference(asked);
  return await withLedgerToRead(context, async (ledger) => {
    const read = await readRun(ledger, await findRun(ledger, reference.run));
    const handle = handleOf(reference.run, read);
    if (reference.stage === null) {
      const told = await runShown(ledger, read);
      await print(context, told, () => runText(context, told));
      await sayNext(context, afterRun(told, handle));
    } else {
      const history = stageOf(read, reference.stage);
      const told = { ledger: ledger.url, ...stageShown(read, history, await notesOf(ledger, read.run)) };
      await print(context, told, () => stageText(context, told));
      await sayNext(context, afterStage(told, handle));
    }
    return 0;
  });
}

async function print(context: Context, told: RunShown | StageShown, text: () => string): Promise<void> {
  if (context.flags.json) await context.printJson(told);
  else await context.print(text());
}

async function sayNext(context: Context, lines: readonly string[]): Promise<void> {
  if (context.flags.json || lines.length === 0) return;
  for (const line of ['', 'next:', ...lines]) await context.say(line);
}

/** What to call the run by in commands: as it was called, and by its name where that was `latest`. */
function handleOf(asked: string, { name }: RunRead): string {
  return asked === 'latest' ? name : asked;
}

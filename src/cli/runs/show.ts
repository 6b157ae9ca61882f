// What `icecore show` does: a run with its stages, or one stage in full.
import type { RunShown, StageShown } from '../../../schemas/run-output.ts';
import { isForPerson, runToDecide, stageToDecide } from '../../analysis/history/hidden.ts';
import { notesOf } from '../../analysis/history/notes.ts';
import { runShown } from '../../analysis/history/runs.ts';
import { stageShown } from '../../analysis/history/stages.ts';
import { findRun } from '../../ledger/runs.ts';
import { type RunRead, readRun, stageOf } from '../../producers/history/run-read.ts';
import type { Context } from '../context.ts';
import { withLedgerToAnswer } from '../ledger.ts';
import { leftOut } from './hidden.ts';
import { afterRun, afterStage } from './next.ts';
import { runReference } from './reference.ts';
import { runText } from './run-text.ts';
import { stageText } from './stage-text.ts';

export interface ShowOptions {
  readonly all?: true;
}

export async function show(context: Context, asked: string, { all }: ShowOptions): Promise<number> {
  const reference = runReference(asked);
  return await withLedgerToAnswer(context, async (ledger) => {
    const read = await readRun(ledger, await findRun(ledger, reference.run));
    const handle = handleOf(reference.run, read);
    const isOpen = all === true || !isForPerson(read);
    if (reference.stage === null) {
      const whole = await runShown(ledger, read);
      const told = isOpen ? whole : runToDecide(whole);
      const left = isOpen ? '' : leftOut(whole.benchmarks.length, handle);
      await print(context, told, left, () => runText(context, told, left));
      await sayNext(context, afterRun(told, handle));
    } else {
      const history = stageOf(read, reference.stage);
      const whole = { ledger: ledger.url, ...stageShown(read, history, await notesOf(ledger, read.run)) };
      const told = isOpen ? whole : stageToDecide(whole);
      const left = isOpen ? '' : leftOut(whole.evaluations.length - told.evaluations.length, asked);
      await print(context, told, left, () => stageText(context, told, left));
      await sayNext(context, afterStage(told, handle));
    }
    return 0;
  });
}

async function print(context: Context, told: RunShown | StageShown, left: string, text: () => string): Promise<void> {
  if (!context.flags.json) return await context.print(text());
  await context.printJson(told);
  if (left !== '') await context.hint(left);
}

async function sayNext(context: Context, lines: readonly string[]): Promise<void> {
  if (context.flags.json || lines.length === 0) return;
  for (const line of ['', 'next:', ...lines]) await context.hint(line);
}

/** What to call the run by in commands: as it was called, and by its name where that was `latest`. */
function handleOf(asked: string, { name }: RunRead): string {
  return asked === 'latest' ? name : asked;
}

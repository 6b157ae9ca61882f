// What `icecore show` does: a run with its stages, or one stage in full.
import type { Decision, RunShown, StageShown } from '../../../schemas/run-output.ts';
import type { Document } from '../../analysis/document/document.ts';
import { isForPerson, runToDecide, stageToDecide } from '../../analysis/history/hidden.ts';
import { notesOf } from '../../analysis/history/notes.ts';
import { runShown } from '../../analysis/history/runs.ts';
import { stageShown } from '../../analysis/history/stages.ts';
import { findRun } from '../../ledger/runs.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import { withLedgerToAnswer } from '../../library/opening/ledger.ts';
import type { RunReference } from '../../library/reference.ts';
import { type RunRead, readRun, stageOf } from '../../producers/history/reading.ts';
import { external } from '../../producers/trainers/trainers.ts';
import type { Context } from '../context.ts';
import { type FormatOption, type Hint, printDocument, printHints, requireOneForm } from '../output/print.ts';
import { leftOutText, runDocument } from './run-view.ts';
import { stageDocument } from './stage-view.ts';

export interface ShowOptions extends FormatOption {
  readonly all?: true;
}

export async function show(context: Context, reference: RunReference, options: ShowOptions): Promise<number> {
  requireOneForm(context, options);
  return await withLedgerToAnswer(context.session, async (ledger) => {
    const read = await readRun(ledger, await findRun(ledger, reference.run));
    const handle = handleOf(reference.run, read);
    const isOpen = options.all === true || !isForPerson(read);
    if (reference.stage === null) {
      const whole = await runShown(ledger, read);
      const run = isOpen ? whole : runToDecide(whole);
      const leftOut = isOpen ? '' : leftOutText(whole.benchmarks.length, handle);
      await print(context, run, { leftOut, document: () => runDocument(run, leftOut), options });
      await printHints(context, afterRun(run, handle), options);
    } else {
      const history = stageOf(read, reference.stage);
      const whole = { ledger: ledger.url, ...stageShown(read, history, await notesOf(ledger, read.run)) };
      const stage = isOpen ? whole : stageToDecide(whole);
      const hidden = whole.evaluations.length - stage.evaluations.length;
      const leftOut = isOpen ? '' : leftOutText(hidden, `${reference.run}@${reference.stage}`);
      await print(context, stage, { leftOut, document: () => stageDocument(stage, leftOut), options });
      await printHints(context, afterStage(stage, handle), options);
    }
    return 0;
  });
}

interface Printing {
  readonly leftOut: string;
  readonly document: () => Document;
  readonly options: FormatOption;
}

async function print(
  context: Context,
  result: RunShown | StageShown,
  { leftOut, document, options }: Printing,
): Promise<void> {
  if (!context.flags.json) return await printDocument(context, document(), options);
  await context.printJson(result);
  if (leftOut !== '') await context.hint(leftOut);
}

/** What to call the run by in commands: as it was called, and by its name where that was `latest`. */
function handleOf(asked: string, { name }: RunRead): string {
  return asked === 'latest' ? name : asked;
}

function afterRun({ stages, state, failure, asked }: RunShown, handle: string): readonly Hint[] {
  const [last, before] = [stages.at(-1), stages.at(-2)];
  if (last === undefined) return [];
  const decided = stages.findLast(({ decision }) => decision.adopted !== null && last.stage > 1)?.decision;
  const isResumable = state === 'stopped' || (state === 'failed' && failure?.resumable === true);
  const resume = asked.trainer?.name === external ? 'stage start' : 'resume';
  return [
    ...(isResumable ? [['goes on', `icecore ${resume} ${shellWord(handle)}`] as const] : []),
    ['one stage in full', `icecore show ${at(handle, last.stage)}`],
    ...(before === undefined
      ? []
      : [['what changed between two', `icecore diff ${at(handle, before.stage)} ${at(handle, last.stage)}`] as const]),
    ...(decided === undefined ? [] : aboutDecision(decided, handle)),
  ];
}

function afterStage({ stage, decision }: StageShown, handle: string): readonly Hint[] {
  return [
    ...(stage > 1
      ? [['only what changed', `icecore diff ${at(handle, stage - 1)} ${at(handle, stage)}`] as const]
      : []),
    ...aboutDecision(decision, handle),
    ['note something about it', `icecore annotate ${at(handle, stage)} "..."`],
  ];
}

function aboutDecision({ stage, context, adopted }: Decision, handle: string): readonly Hint[] {
  return [
    ...(context === null || stage < 2
      ? []
      : [['what the engineer was shown', `icecore context ${at(handle, stage - 1)}`] as const]),
    ...(adopted === null ? [] : [['the decision', `icecore event show ${adopted}`] as const]),
  ];
}

function at(handle: string, stage: number): string {
  return shellWord(`${handle}@${stage}`);
}

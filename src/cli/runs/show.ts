// What `icecore show` does: a run with its stages, or one stage in full.
import type { Decision, RunShown, StageShown } from '../../../schemas/run-output.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Document } from '../../document/document.ts';
import type { FormatOption } from '../../library/plugins/command.ts';
import type { RunReference } from '../../library/reference.ts';
import { showRunOrStage } from '../../library/understanding.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import { external } from '../../producers/trainers/trainers.ts';
import type { Context } from '../context.ts';
import { type Hint, printDocument, printHints, requireOneForm } from '../output/print.ts';
import { leftOutText, runDocument } from './run-view.ts';
import { stageDocument } from './stage-view.ts';

export interface ShowOptions extends FormatOption {
  readonly all?: true;
}

export async function show(context: Context, reference: RunReference, options: ShowOptions): Promise<number> {
  requireOneForm(context, options);
  const found = await showRunOrStage(context.session, reference, options);
  const handle = handleOf(reference.run, found.read);
  if ('run' in found) {
    const { run, hidden } = found;
    const leftOut = hidden === 0 ? '' : leftOutText(hidden, handle);
    await print(context, run, { leftOut, document: () => runDocument(run, leftOut), options });
    await printHints(context, afterRun(run, handle), options);
  } else {
    const { stage, hidden } = found;
    const leftOut = hidden === 0 ? '' : leftOutText(hidden, `${reference.run}@${reference.stage}`);
    await print(context, stage, { leftOut, document: () => stageDocument(stage, leftOut), options });
    await printHints(context, afterStage(stage, handle), options);
  }
  return 0;
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

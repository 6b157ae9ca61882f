// What `icecore show` does: a run with its stages, or one stage in full.

import { external } from '../../../schemas/run-file.ts';
import type { Decision, RunShown, StageShown } from '../../../schemas/run-output.ts';
import { shellWord } from '../../base/shell-word.ts';
import { runDocument, stageDocument } from '../../library/documents.ts';
import type { FormatOption } from '../../library/plugins/command.ts';
import type { RunReference } from '../../library/reference.ts';
import { showRunOrStage } from '../../library/understanding.ts';
import type { Context } from '../context.ts';
import { type Hint, printHints, requireOneForm } from '../output/print.ts';

export interface ShowOptions extends FormatOption {
  readonly all?: true;
}

export async function show(context: Context, reference: RunReference, options: ShowOptions): Promise<number> {
  requireOneForm(context, options);
  const { run: asked, stage } = reference;
  const found = await showRunOrStage(context.session, reference, options);
  const { name } = 'run' in found ? found.run : found.stage;
  // What to call the run by in commands: as it was called, and by its name where that was `latest`.
  const handle = asked === 'latest' ? name : asked;
  const leftOut = found.hidden === 0 ? '' : leftOutText(stage === null ? handle : `${asked}@${stage}`);
  if (context.flags.json) {
    await context.printJson('run' in found ? found.run : found.stage);
    if (leftOut !== '') await context.hint(leftOut);
    return 0;
  }
  const document = 'run' in found ? runDocument(found.run, leftOut) : stageDocument(found.stage, leftOut);
  await context.print(await document, options);
  await printHints(context, 'run' in found ? afterRun(found.run, handle) : afterStage(found.stage, handle), options);
  return 0;
}

function leftOutText(handle: string): string {
  return `Benchmarks and probe-holdout figures are left out while a person decides, for no engineer is shown them: icecore show ${shellWord(handle)} --all has them.`;
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
      : [['what the engineer was shown', `icecore context ${at(handle, stage)}`] as const]),
    ...(adopted === null ? [] : [['the decision', `icecore event show ${adopted}`] as const]),
  ];
}

function at(handle: string, stage: number): string {
  return shellWord(`${handle}@${stage}`);
}

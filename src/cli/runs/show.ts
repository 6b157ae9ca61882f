// What `icecore show` does: a run with its stages, or one stage.

import { external } from '../../../schemas/run-file.ts';
import type { Decision, RunShown, StageShown } from '../../../schemas/run-output.ts';
import { commandToContinue } from '../../base/continuing.ts';
import { shellWord } from '../../base/shell-word.ts';
import { runDocument, stageDocument } from '../../library/documents.ts';
import type { RunReference } from '../../library/reference.ts';
import { showRunOrStage } from '../../library/understanding.ts';
import type { Context } from '../context.ts';
import { type AnswerOptions, type Hint, isVerbose, printHints, requireOneForm } from '../output/print.ts';

export interface ShowOptions extends AnswerOptions {
  readonly all?: true;
}

export async function show(context: Context, reference: RunReference, options: ShowOptions): Promise<number> {
  requireOneForm(context, options);
  const { run: typed, stage } = reference;
  const found = await showRunOrStage(context.session, reference, options);
  const { name } = 'run' in found ? found.run : found.stage;
  // By then `latest` and the start of a name could be another run; what else was typed names it.
  const handle = typed === 'latest' || name.startsWith(typed) ? name : typed;
  const leftOut = found.hidden === 0 ? '' : leftOutText(stage === null ? handle : `${handle}@${stage}`);
  if (context.flags.json) {
    await context.printJson('run' in found ? found.run : found.stage);
    if (leftOut !== '') await context.hint(leftOut);
    return 0;
  }
  const shape = { note: leftOut, verbose: isVerbose(options) };
  const document = 'run' in found ? runDocument(found.run, shape) : stageDocument(found.stage, shape);
  await context.print(await document, options);
  const hints = 'run' in found ? afterRun(found.run, handle) : afterStage(found.stage, handle, shape.verbose);
  await printHints(context, shape.verbose ? hints : hints.slice(0, mostHints), options);
  return 0;
}

/** A screen that answers first has room for these. */
const mostHints = 3;

function leftOutText(handle: string): string {
  return `Benchmarks and probe-holdout results are hidden until this run, on which a person decides, is complete: no engineer sees them. icecore show ${shellWord(handle)} --all shows them.`;
}

function afterRun({ stages, state, failure, waiting, asked, next }: RunShown, handle: string): readonly Hint[] {
  const [last, before] = [stages.at(-1), stages.at(-2)];
  if (last === undefined) return [];
  const decisions = [...stages.map(({ decision }) => decision), ...(next === null ? [] : [next])];
  const decided = decisions.findLast(({ adopted, changes }) => adopted !== null && changes.length > 0);
  const isResumable = state === 'stopped' || (state === 'failed' && failure?.resumable === true);
  const isTrainedElsewhere = asked.trainer?.name === external;
  const command = commandToContinue(handle, {
    isTrainedElsewhere,
    isTrained: waiting === null && (next?.adopted ?? null) === null,
  });
  return [
    ...(waiting !== null ? toContinue(waiting, handle, command) : []),
    ...(isResumable && waiting === null ? [['resume it', command] as const] : []),
    ...(decided === undefined
      ? []
      : [['why it changed last', `icecore why ${stageWord(handle, decided.stage)}`] as const]),
    ['one stage', `icecore show ${stageWord(handle, last.stage)}`],
    ...(before === undefined
      ? []
      : [
          [
            'two stages compared',
            `icecore diff ${stageWord(handle, before.stage)} ${stageWord(handle, last.stage)}`,
          ] as const,
        ]),
    ...(decided === undefined ? [] : aboutDecision(decided, handle)),
  ];
}

function toContinue(
  { for: what, stage }: NonNullable<RunShown['waiting']>,
  handle: string,
  command: string,
): readonly Hint[] {
  const run = shellWord(handle);
  if (what === 'training')
    return [
      ['when it is trained', `icecore stage finish ${run} --checkpoint FILE`],
      ['what to train', `icecore stage start ${run}`],
    ];
  const decision = stageWord(handle, stage);
  return [
    ['what an engineer would see', `icecore context ${decision}`],
    ['decide', `icecore adopt FILE --run ${decision}`],
    ['then', command],
  ];
}

function afterStage({ stage, decision }: StageShown, handle: string, verbose: boolean): readonly Hint[] {
  return [
    ...(stage > 1 ? [['why it was configured so', `icecore why ${stageWord(handle, stage)}`] as const] : []),
    ...(verbose ? [] : [['every knob and reason', `icecore show ${stageWord(handle, stage)} --verbose`] as const]),
    ...(stage > 1
      ? [['what changed', `icecore diff ${stageWord(handle, stage - 1)} ${stageWord(handle, stage)}`] as const]
      : []),
    ...aboutDecision(decision, handle),
    ['add a note', `icecore annotate ${stageWord(handle, stage)} "..."`],
  ];
}

function aboutDecision({ stage, context, adopted }: Decision, handle: string): readonly Hint[] {
  return [
    ...(context === null || stage < 2
      ? []
      : [['what the engineer was shown', `icecore context ${stageWord(handle, stage)}`] as const]),
    ...(adopted === null ? [] : [['the decision', `icecore event show ${adopted}`] as const]),
  ];
}

function stageWord(handle: string, stage: number): string {
  return shellWord(`${handle}@${stage}`);
}

// What to type after having seen a run or a stage of it.
import type { Decision, RunShown, StageShown } from '../../../schemas/run-output.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import { external } from '../../producers/trainers/external.ts';

type Line = readonly [typed: string, does: string];

/** `handle` is what the run can be called by. */
export function afterRun({ stages, state, failure, asked }: RunShown, handle: string): readonly string[] {
  const [last, before] = [stages.at(-1), stages.at(-2)];
  if (last === undefined) return [];
  const decided = stages.findLast(({ decision }) => decision.adopted !== null && last.stage > 1)?.decision;
  const canGoOn = state === 'stopped' || (state === 'failed' && failure?.resumable === true);
  const goesOn = asked.trainer?.name === external ? 'stage start' : 'resume';
  return aligned([
    ...(canGoOn ? [[`icecore ${goesOn} ${shellWord(handle)}`, 'goes on'] as const] : []),
    [`icecore show ${at(handle, last.stage)}`, 'one stage in full'],
    ...(before === undefined
      ? []
      : [[`icecore diff ${at(handle, before.stage)} ${at(handle, last.stage)}`, 'what changed between two'] as const]),
    ...(decided === undefined ? [] : aboutDecision(decided, handle)),
  ]);
}

export function afterStage({ stage, decision }: StageShown, handle: string): readonly string[] {
  return aligned([
    ...(stage > 1
      ? [[`icecore diff ${at(handle, stage - 1)} ${at(handle, stage)}`, 'only what changed'] as const]
      : []),
    ...aboutDecision(decision, handle),
    [`icecore annotate ${at(handle, stage)} "..."`, 'note something about it'],
  ]);
}

function aboutDecision({ stage, context, adopted }: Decision, handle: string): readonly Line[] {
  return [
    ...(context === null || stage < 2
      ? []
      : [[`icecore context ${at(handle, stage - 1)}`, 'what the engineer was shown'] as const]),
    ...(adopted === null ? [] : [[`icecore event show ${adopted}`, 'the decision'] as const]),
  ];
}

function at(handle: string, stage: number): string {
  return shellWord(`${handle}@${stage}`);
}

/** What it does comes first: how long a command is depends on how icecore is called here. */
function aligned(lines: readonly Line[]): readonly string[] {
  const width = Math.max(0, ...lines.map(([, does]) => does.length));
  return lines.map(([typed, does]) => `  ${does.padEnd(width)}  ${typed}`);
}

// What no engineer is ever shown is not shown to a person either who is one, as long as there may be something to decide.
import type { Decision, RunShown, StageShown } from '../../../schemas/run-output.ts';
import { humanName } from '../../lab/engineers/engineer.ts';
import { unknownRate } from '../../producers/history/figures.ts';
import type { RunRead } from '../../producers/history/reading.ts';

const hidden = ['probe-holdout', 'test'];

export function isHidden({ split }: { readonly split: string | null }): boolean {
  return split !== null && hidden.includes(split);
}

export function isForPerson({ started, completed }: RunRead): boolean {
  return completed === null && started?.data.engineer?.name === humanName;
}

export function runToDecide(shown: RunShown): RunShown {
  const stages = shown.stages.map((one) => ({ ...one, decision: withoutWhatCame(one.decision) }));
  return { ...shown, stages, next: shown.next === null ? null : withoutWhatCame(shown.next), benchmarks: [] };
}

export function stageToDecide(shown: StageShown): StageShown {
  const evaluations = shown.evaluations.filter((one) => !isHidden(one));
  return { ...shown, evaluations, decision: withoutWhatCame(shown.decision) };
}

function withoutWhatCame(decision: Decision): Decision {
  const predictions =
    decision.predictions?.map((one) => (isHidden(one) ? { ...one, came: { ...unknownRate }, split: null } : one)) ??
    null;
  return { ...decision, predictions };
}

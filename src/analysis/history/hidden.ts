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

export function runToDecide(told: RunShown): RunShown {
  const stages = told.stages.map((one) => ({ ...one, decision: withoutWhatCame(one.decision) }));
  return { ...told, stages, next: told.next === null ? null : withoutWhatCame(told.next), benchmarks: [] };
}

export function stageToDecide(told: StageShown): StageShown {
  const evaluations = told.evaluations.filter((one) => !isHidden(one));
  return { ...told, evaluations, decision: withoutWhatCame(told.decision) };
}

function withoutWhatCame(decision: Decision): Decision {
  const predictions =
    decision.predictions?.map((one) => (isHidden(one) ? { ...one, came: { ...unknownRate }, split: null } : one)) ??
    null;
  return { ...decision, predictions };
}

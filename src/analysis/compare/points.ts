// Up to where a run is told of: a stage that is over, or what was evaluated outside of any stage.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { RunState } from '../../../schemas/run-output.ts';
import type { RunRead } from '../../producers/history/run-read.ts';
import type { Recorded, StageHistory } from '../../producers/run/history.ts';

export type Evaluation = EventData['EvaluationRecorded'];

export type Point = number | 'outside';

/** In their order. What others record need not say that a stage is over. */
export function finishedStages({ history }: RunRead, state: RunState): readonly number[] {
  const stages = history.stages.toSorted((a, b) => a.stage - b.stage);
  const last = stages.at(-1);
  const isOver = (one: StageHistory): boolean =>
    one.completed !== null ||
    one !== last ||
    history.completed !== null ||
    (state === 'recorded' && one.evaluations.length > 0);
  return stages.filter(isOver).map(({ stage }) => stage);
}

export function stageAt({ history }: RunRead, point: Point): StageHistory | null {
  return history.stages.find(({ stage }) => stage === point) ?? null;
}

export function evaluationsAt(read: RunRead, point: Point): readonly Evaluation[] {
  return recordedAt(read, point).map(({ data }) => data);
}

/** With what each names of the rollouts it adds up. */
export function recordedAt(read: RunRead, point: Point): readonly Recorded<'EvaluationRecorded'>[] {
  return point === 'outside' ? read.outside : (stageAt(read, point)?.evaluations ?? []);
}

/** As far as the point, in their order. */
export function stagesUntil({ history }: RunRead, point: Point): readonly StageHistory[] {
  if (point === 'outside') return [];
  return history.stages.filter(({ stage }) => stage <= point).toSorted((a, b) => a.stage - b.stage);
}

/** Stages as far as the point whose configuration stayed because their engineer could not answer. */
export function erroredUntil(read: RunRead, point: Point): readonly number[] {
  return stagesUntil(read, point).flatMap(({ stage }) =>
    read.adoptions.get(stage)?.data.by === 'errored' ? [stage] : [],
  );
}

/** How many stages two runs have in common from the first on, where one is a fork of the other or both are of a third. */
export function sharedStages(one: RunRead, other: RunRead): number {
  const theirs = new Map(other.history.stages.map(({ stage, started }) => [stage, started.id]));
  const stages = one.history.stages.toSorted((a, b) => a.stage - b.stage);
  const apart = stages.findIndex(({ stage, started }) => theirs.get(stage) !== started.id);
  return apart < 0 ? stages.length : apart;
}

// A stage is over, and in the end the run: with their headline figures, for whoever reads nothing else.
import type { EventData } from '../../../../schemas/catalogue.ts';
import { totalOf } from '../amounts.ts';
import { type At, known, stageIn } from '../at.ts';
import type { StageHistory } from '../history.ts';
import type { Decision } from '../writing.ts';
import { validation } from './evaluate.ts';
import { runActor } from './start.ts';

type Measurement = NonNullable<EventData['StageCompleted']['results']>[number];

export function completeStage({ history }: Pick<At, 'history'>, stage: number): Decision {
  const before = stageIn(history, stage);
  const training = known(before.training, 'training');
  const alerts = before.summaries.flatMap(({ data }) => data.alerts ?? []);
  const { checkpoint = null, spent } = training.data;
  return {
    type: 'StageCompleted',
    stage,
    index: 0,
    actor: runActor,
    causes: before.summaries.map(({ id }) => ({ event: id })),
    data: {
      checkpoint,
      results: headlines(before),
      ...(alerts.length === 0 ? {} : { alerts }),
      ...(spent === undefined ? {} : { spent }),
    },
  };
}

/** Over all families: what validation came to, and how much there was to learn. */
function headlines({ evaluations, training }: StageHistory): Measurement[] {
  const results = evaluations.find(({ data }) => data.suite.name === validation)?.data.results ?? [];
  const signal = training?.data.learningSignal?.find(({ family }) => family === null);
  return [
    ...results.flatMap(({ family, ...measured }) => (family === null ? [measured] : [])),
    ...(signal === undefined
      ? []
      : [{ measure: 'signal', value: signal.share, count: signal.withVariance, of: signal.sampleGroups }]),
  ];
}

export function complete({ history }: Pick<At, 'history'>): Decision {
  const last = known(history.stages.at(-1), 'a stage');
  const completed = known(last.completed, 'the end of the last stage');
  const spent = totalOf(history.stages.map(({ completed }) => completed?.data.spent ?? {}));
  const { checkpoint = null, results } = completed.data;
  return {
    type: 'RunCompleted',
    stage: null,
    index: 0,
    actor: runActor,
    causes: [{ event: completed.id }],
    data: {
      stages: history.stages.length,
      checkpoint,
      ...(results === undefined ? {} : { results }),
      spent,
    },
  };
}

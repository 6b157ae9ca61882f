// Measurements of random runs and arms: trainings, evaluations, alerts, summaries.
import type { EventData } from '../../../../schemas/catalogue.ts';
import type { Environment } from './environment.ts';
import type { Draw } from './words.ts';

type Training = EventData['TrainingRecorded'];
type Evaluation = EventData['EvaluationRecorded'];
type Summary = EventData['SummaryRecorded'];
type Alert = NonNullable<Training['alerts']>[number];

export function checkpoint(draw: Draw): NonNullable<Training['from']> {
  return { reference: draw.name(), ...draw.optional(50, { digest: draw.digest(), step: draw.count() }) };
}

export function alerts(draw: Draw, { families }: Environment): readonly Alert[] {
  const alert = (): Alert => ({
    kind: draw.pick(['signal-collapse', 'forgetting'] as const),
    family: draw.pick([null, ...families]),
    measure: draw.pick(['valid', 'signal']),
    before: draw.score(),
    now: draw.score(),
    ...draw.optional(50, { message: draw.text() }),
  });
  return once(draw.many(2, alert), ({ kind, family, measure }) => `${kind} ${family} ${measure}`);
}

function once<Item>(items: readonly Item[], key: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [key(item), item])).values()];
}

export function randomTraining(draw: Draw, environment: Environment): Training {
  const families = draw.some([null, ...environment.families], 70);
  return {
    ...draw.optional(60, {
      trainer: { name: draw.name(), parameters: draw.free() },
      policy: { name: draw.name() },
      from: draw.chance(30) ? null : checkpoint(draw),
      checkpoint: draw.chance(30) ? null : checkpoint(draw),
      configuration: draw.digest(),
      seed: draw.wide(),
      budget: draw.amounts(),
      spent: draw.amounts(),
      learningSignal: families.map((family) => {
        const compared = draw.below(9);
        const withVariance = draw.below(compared + 1);
        return {
          family,
          sampleGroups: compared,
          withVariance,
          share: compared === 0 ? { value: null, reason: 'none was compared' } : draw.score(withVariance / compared),
          ...draw.optional(60, { entropy: draw.score(), kl: draw.score() }),
        };
      }),
      sampled: draw
        .some(environment.families, 70)
        .map((family) => ({ family, tasks: draw.count(), share: draw.share() })),
      results: draw.scores(),
      alerts: alerts(draw, environment),
      exit: { code: draw.pick([null, 0, -1, 137]), signal: draw.pick([null, 'SIGKILL']) },
      log: draw.chance(70) ? { text: draw.text() } : { blob: draw.digest(), bytes: 3 },
      source: { tool: draw.name() },
      measured: { seconds: draw.pick<unknown>([1.5, 'odd', null]) },
    }),
    ...draw.optional(60, {
      curve: draw.many(2, (step) => ({ step, values: draw.scores(), ...draw.optional(50, { spent: draw.amounts() }) })),
    }),
  };
}

const suites = ['validation', 'probe', 'hard', "suite's"];
const evaluationSplits = ['validation', 'validation', 'probe-holdout', 'test', 'probe'] as const;

export function randomEvaluation(draw: Draw, environment: Environment): Evaluation {
  const families = draw.some([null, ...environment.families], 75);
  return {
    suite: { name: draw.pick(suites), ...draw.optional(40, { digest: draw.digest() }) },
    split: draw.pick(evaluationSplits),
    rollouts: draw.count(),
    results: ['valid', 'optimal', draw.name()]
      .filter((_, place) => place === 0 || draw.chance(40))
      .flatMap((measure) => draw.some(families, 85).map((family) => ({ family, measure, ...counted(draw) }))),
    ...draw.optional(40, {
      policy: { name: draw.name() },
      checkpoint: draw.chance(40) ? null : checkpoint(draw),
      samples: draw.below(5),
      cells: draw.many(2, () => ({
        family: draw.pick([null, ...environment.families]),
        ...draw.optional(70, { conditions: { agents: draw.below(4), [draw.name()]: draw.pick([null, true, 'x']) } }),
        rollouts: draw.below(20),
        results: draw.many(2, () => ({ measure: draw.name(), ...counted(draw) })),
      })),
      failures: once(
        draw.many(3, () => ({
          family: draw.pick([null, ...environment.families]),
          class: draw.pick(failureClasses),
          count: draw.below(9),
        })),
        (one) => `${one.class} ${one.family}`,
      ),
      interval: { method: 'wilson', level: 0.9 },
      alerts: alerts(draw, environment),
    }),
  };
}

export const failureClasses = ['slip', 'fall', "odd 'way'", '🦆'];

/** With or without counts and an interval. */
function counted(draw: Draw): Pick<Evaluation['results'][number], 'value' | 'count' | 'of' | 'low' | 'high'> {
  const of = draw.below(30);
  const count = draw.below(of + 1);
  return {
    value: draw.chance(70) ? draw.score(of === 0 ? 0 : count / of) : draw.score(),
    ...(draw.chance(80) ? { count, of } : draw.optional(30, { count, of: draw.below(20) })),
    ...(draw.chance(30) ? { low: 0.25, high: 0.75 } : draw.optional(10, { low: 0.1 })),
  };
}

const modules = ['failures', 'stats', 'behaviour', 'training', 'self-summary'];

export function randomSummary(
  draw: Draw,
  environment: Environment,
  { rollout, failure }: { readonly rollout: string; readonly failure: string },
): Summary {
  const module = draw.pick(modules);
  const families = draw.some([null, ...environment.families], 70);
  return {
    module,
    facts: families.flatMap((family, place) =>
      draw.some([module === 'failures' ? 'failures' : 'valid', draw.name()], 70).map((measure, index) => ({
        evidenceId: `F${place}.${index}`,
        family,
        measure,
        ...(module === 'failures' ? { about: draw.pick(failureClasses) } : {}),
        ...counted(draw),
      })),
    ),
    exemplars: draw.many(1, (place) => ({
      evidenceId: `E${place}`,
      rollout,
      family: draw.pick([null, ...environment.families]),
      ...draw.optional(50, {
        failure,
        class: draw.pick(failureClasses),
        drawing: draw.text(),
        description: draw.text(),
      }),
    })),
    text: draw.pick([null, { text: draw.text() }, { blob: draw.digest(), bytes: 9 }]),
    ...draw.optional(40, {
      version: draw.name(),
      parameters: draw.free(),
      splits: draw.some(['probe', 'train'] as const, 60),
      rollouts: draw.count(),
      answer: { key: draw.digest() },
      alerts: alerts(draw, environment),
    }),
  };
}

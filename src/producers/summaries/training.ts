// How training went, for an engineer: the stage, the budget spent, and the learning signal by family. The trainer's
// settings are left out, and the sampled tasks are in the stats module.
import type { EventData } from '../../../schemas/catalogue.ts';
import { type Interval, wilson } from '../../lab/statistics/distributions.ts';
import { alertLines, byMeasure, explained, factTable, type Meanings } from './figures.ts';
import type { Sheet } from './sheet.ts';
import { type Alert, distinct, evidenceIdOf, type Fact, figure, type Recorded } from './summary.ts';

type Training = EventData['TrainingRecorded'];
type Signal = NonNullable<Training['learningSignal']>[number];

export function trainingFacts(stage: number, { spent = {}, learningSignal = [] }: Training): Fact[] {
  const index: Fact = { evidenceId: evidenceIdOf('T', null, 'stage'), family: null, measure: 'stage', value: stage };
  const spendings = Object.entries(spent)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([unit, amount]): Fact => ({
        evidenceId: evidenceIdOf('T', null, unit),
        family: null,
        measure: 'spent',
        about: unit,
        value: amount,
      }),
    );
  return distinct([index, ...spendings, ...learningSignal.flatMap(signalFacts)]);
}

/** With an interval, and without counts: how often a family was sampled is a separate fact. */
function signalFacts({ family, sampleGroups, withVariance, share, entropy, kl }: Signal): Fact[] {
  const { low, high } = signalInterval({ sampleGroups, withVariance });
  const fact = (measure: string, value: Fact['value'] | undefined): Fact[] =>
    value === undefined
      ? []
      : [
          {
            evidenceId: evidenceIdOf('T', family, measure),
            family,
            measure,
            value: typeof value === 'number' ? figure(value) : value,
          },
        ];
  return [
    ...fact('signal', share).map((one) => ({ ...one, low: figure(low), high: figure(high) })),
    ...fact('entropy', entropy),
    ...fact('kl', kl),
  ];
}

export function trainingSheet({ module, facts, alerts }: Recorded): Sheet {
  const isBookkeeping = ({ measure }: Fact): boolean => measure === 'stage' || measure === 'spent';
  const bookkeeping = factTable({
    title: 'Spent',
    prefix: 'T',
    facts: facts.filter(isBookkeeping),
    columnOf: ({ measure, about }) => about ?? measure,
  });
  const signal = facts.filter((fact) => !isBookkeeping(fact));
  const table = explained(
    { title: 'Learning signal', prefix: 'T', facts: signal, columnOf: byMeasure },
    signalMeanings,
  );
  return { module, opening: alertLines(alerts), parts: [bookkeeping, ...(signal.length === 0 ? [] : [table])] };
}

const signalMeanings: Meanings = [
  ['signal', 'the share of tasks whose samples differ in reward; if all succeed or all fail, nothing is learned'],
  ['entropy', "entropy of the policy's choices, in nats: how uncertain it is"],
  ['kl', 'how far the policy has moved from its reference'],
];

// Alerts for people: the learning signal collapsed, or a mastered family is being forgotten.

type LearningSignal = NonNullable<EventData['TrainingRecorded']['learningSignal']>[number];

/** Below this share the learning signal has almost vanished. */
const hardlyAny = 0.1;

/**
 * The learning signal of a family collapsed if less than a tenth of its sample groups differ in reward, less than half
 * as many as in the stage before, and the intervals do not touch. The signal does not say why: all tries succeed, or
 * none does.
 */
export function collapses(before: readonly LearningSignal[], now: readonly LearningSignal[]): Alert[] {
  return now.flatMap((is) => {
    const { family, share } = is;
    const was = before.find((one) => one.family === family);
    if (was === undefined || typeof share !== 'number' || typeof was.share !== 'number') return [];
    if (share >= hardlyAny || share >= was.share / 2 || signalInterval(is).high >= signalInterval(was).low) return [];
    return [{ kind: 'signal-collapse', family, measure: 'signal', before: was.share, now: share }];
  });
}

/** The interval of a share of sample groups; undefined for none. */
function signalInterval({
  sampleGroups,
  withVariance,
}: Pick<LearningSignal, 'sampleGroups' | 'withVariance'>): Interval {
  return sampleGroups === 0 ? { low: 0, high: 1 } : wilson(Math.min(withVariance, sampleGroups), sampleGroups);
}

/**
 * A family is being forgotten when its rate is below that of an earlier stage and their intervals do not touch.
 * `earlier` are the facts of earlier stages, oldest first.
 */
export function forgettings(earlier: readonly (readonly Fact[])[], now: readonly Fact[]): Alert[] {
  return rates(now).flatMap(({ family, value, high }) => {
    const best = earlier
      .flatMap(rates)
      .filter((one) => one.family === family)
      .toSorted((a, b) => b.low - a.low)[0];
    if (best === undefined || high >= best.low) return [];
    return [{ kind: 'forgetting', family, measure: 'valid', before: best.value, now: value }];
  });
}

interface Rate {
  readonly family: string | null;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

function rates(facts: readonly Fact[]): Rate[] {
  return facts.flatMap(({ family, measure, value, low, high }) => {
    if (measure !== 'valid' || typeof value !== 'number' || low === undefined || high === undefined) return [];
    return [{ family, value, low, high }];
  });
}

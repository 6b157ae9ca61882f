// What a person should look at: the learning signal collapsed, or what was mastered is being forgotten.
import type { EventData } from '../../../schemas/catalogue.ts';
import { type Interval, wilson } from '../../lab/statistics/distributions.ts';
import type { Alert, Fact } from './summary.ts';

type Signal = NonNullable<EventData['TrainingRecorded']['learningSignal']>[number];

/** Below this share, hardly any sample group has something to teach. */
const hardlyAny = 0.1;

/**
 * The learning signal of a family collapsed when less than a tenth of its sample groups differ in reward, that is less than half
 * of what it was in the stage before, and no chance of counting: their intervals do not touch. Why it did is not in the
 * signal: all solve the tasks, or none does.
 */
export function collapses(before: readonly Signal[], now: readonly Signal[]): Alert[] {
  return now.flatMap((is) => {
    const { family, share } = is;
    const was = before.find((one) => one.family === family);
    if (was === undefined || typeof share !== 'number' || typeof was.share !== 'number') return [];
    if (share >= hardlyAny || share >= was.share / 2 || signalInterval(is).high >= signalInterval(was).low) return [];
    return [{ kind: 'signal-collapse', family, measure: 'signal', before: was.share, now: share }];
  });
}

/** How sure a share of sample groups is; of none there is nothing to know. */
export function signalInterval({
  sampleGroups,
  withVariance,
}: Pick<Signal, 'sampleGroups' | 'withVariance'>): Interval {
  return sampleGroups === 0 ? { low: 0, high: 1 } : wilson(Math.min(withVariance, sampleGroups), sampleGroups);
}

/**
 * A family is being forgotten when its rate lies below that of an earlier stage and their intervals do not touch.
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

// What a person should look at: the learning signal collapsed, or what was mastered is being forgotten.
import type { EventData } from '../../../schemas/catalogue.ts';
import { wilson } from '../../lab/statistics/wilson.ts';
import type { Alert, Fact } from './summary.ts';

type Signal = NonNullable<EventData['TrainingRecorded']['signal']>[number];

/** Below this share, hardly any group of samples has something to teach. */
const hardlyAny = 0.1;

/** With fewer groups of samples, a share may fall by chance. */
const enough = 30;

/**
 * The signal of a group collapsed when less than a tenth of its groups of samples differ in reward and that is less than
 * half of what it was in the stage before. Why it did is not in the signal: all solve the tasks, or none does.
 */
export function collapses(before: readonly Signal[], now: readonly Signal[]): Alert[] {
  return now.flatMap(({ group, groups, share }) => {
    const was = before.find((one) => one.group === group);
    if (was === undefined || Math.min(groups, was.groups) < enough) return [];
    if (typeof share !== 'number' || typeof was.share !== 'number') return [];
    if (share >= hardlyAny || share >= was.share / 2) return [];
    return [{ kind: 'signal-collapse', group, measure: 'signal', before: was.share, now: share }];
  });
}

/**
 * A group is being forgotten when its rate lies below that of an earlier stage and their intervals do not touch.
 * `earlier` are the facts of earlier stages, oldest first.
 */
export function forgettings(earlier: readonly (readonly Fact[])[], now: readonly Fact[]): Alert[] {
  return rates(now).flatMap(({ group, value, count, of }) => {
    const best = earlier
      .flatMap(rates)
      .filter((one) => one.group === group)
      .map((one) => ({ rate: one.value, low: wilson(one.count, one.of).low }))
      .toSorted((a, b) => b.low - a.low)[0];
    if (best === undefined || wilson(count, of).high >= best.low) return [];
    return [{ kind: 'forgetting', group, measure: 'valid', before: best.rate, now: value }];
  });
}

interface Rate {
  readonly group: string | null;
  readonly value: number;
  readonly count: number;
  readonly of: number;
}

function rates(facts: readonly Fact[]): Rate[] {
  return facts.flatMap(({ group, measure, value, count, of }) => {
    if (measure !== 'valid' || typeof value !== 'number' || count === undefined || of === undefined) return [];
    return [{ group, value, count, of }];
  });
}

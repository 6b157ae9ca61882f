// Beliefs of an engineer that can ask itself: what the snapshot expects of tasks as they are generated now, put together
// with what the context shows.
import type { Asked } from '../engineer.ts';
import { type Belief, percent, spread } from '../redesign/belief.ts';
import type { Snapshot } from './asking.ts';
import type { Scale } from './scale.ts';

/** Tasks of each family it is asked about. */
const tasks = 24;

/** Without anything to measure it by, so much expected on average is taken for working. */
const sure = 0.7;

/** What it expects of tasks, as rates, and how much they would teach it: most where it is of two minds about each. */
export interface Outlook {
  readonly rate: number;
  readonly worth: number;
}

/** By family; none where it says nothing of how sure it is. */
export async function outlooks(asked: Asked, snapshot: Snapshot, scale: Scale): Promise<ReadonlyMap<string, Outlook>> {
  const known = new Map<string, Outlook>();
  for (const { family } of asked.descriptor.families) {
    const seed = seedOf(asked, family);
    const expected = await snapshot.expectations({ family, configuration: asked.current, count: tasks, seed });
    if (expected.length > 0) known.set(family, outlookOn(expected, scale));
  }
  return known;
}

export function seedOf({ seed, stage, sample }: Asked, ...purpose: readonly string[]): string {
  return ['introspective', seed, stage, sample, ...purpose].join('/');
}

export function outlookOn(expected: readonly number[], { factor }: Scale): Outlook {
  const rates = expected.map((one) => Math.min(one * factor, 1));
  return { rate: mean(rates), worth: mean(rates.map(spread)) };
}

/** What is shown of a family and what the snapshot expects of it count the same. */
export function together(shown: Belief, own: Outlook | undefined, scale: Scale): Belief {
  if (own === undefined) return shown;
  const says = `the checkpoint expects to solve ${percent(own.rate)} of such tasks`;
  return {
    family: shown.family,
    rate: shown.rate === null ? own.rate : (shown.rate + own.rate) / 2,
    worth: shown.worth === null ? own.worth : (shown.worth + own.worth) / 2,
    works: shown.rate === null ? own.rate >= sure : shown.works,
    cites: [...shown.cites, ...(scale.cites.get(shown.family) ?? [])],
    reason: shown.reason === '' ? says : `${shown.reason}; ${says}`,
  };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

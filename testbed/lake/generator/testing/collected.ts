// All that a generator yields, and what it returns in the end.
import { digestOf } from '../../../../src/lab/environments/environment.ts';
import type { Instances, LakeShortage } from '../generate.ts';
import type { Made } from '../maker.ts';

export interface Collected {
  readonly made: readonly Made[];
  readonly shortages: readonly LakeShortage[];
}

export function collected(instances: Instances): Collected {
  const made: Made[] = [];
  for (;;) {
    const next = instances.next();
    if (next.done === true) return { made, shortages: next.value };
    made.push(next.value);
  }
}

/** Of a suite or pool, as evaluations have it. */
export function suiteDigest(instances: Iterable<Pick<Made, 'digest'>>): string {
  return digestOf(Array.from(instances, ({ digest }) => digest));
}

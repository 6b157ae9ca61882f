// Everything that a generator yields, and its return value.
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

/** The digest of a suite or split, as in evaluations. */
export function suiteDigest(instances: Iterable<Pick<Made, 'digest'>>): string {
  return digestOf(Array.from(instances, ({ digest }) => digest));
}

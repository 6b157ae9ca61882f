// Configurations for property tests, with shares in whole parts, so that expected results need no rounding.
import fc from 'fast-check';
import { configurableSizes, type LakeConfiguration } from '../../configuration.ts';

/** The denominator of shares of holes and waits. */
export const parts = 1000;

/** One size of a configuration; its data share is `weight` divided by the sum of weights. */
export interface Part {
  readonly size: number;
  readonly weight: number;
  readonly hole: number;
  readonly wait: number;
}

interface Bounds {
  readonly sizes?: readonly number[];
  /** In `parts`. */
  readonly maxHoles?: number;
}

/** Sizes in any order, some without a share, often one with all of it; holes and waits are often none or all. */
export function configurations({
  sizes = configurableSizes,
  maxHoles = parts,
}: Bounds = {}): fc.Arbitrary<readonly Part[]> {
  const share = (most: number) => fc.oneof(fc.constantFrom(0, most), fc.nat(most));
  return fc
    .shuffledSubarray([...sizes], { minLength: 1 })
    .chain((some) =>
      fc.tuple(
        ...some.map((size) =>
          fc.record({
            size: fc.constant(size),
            weight: fc.oneof(fc.constant(0), fc.constant(1), fc.nat(1000)),
            hole: share(maxHoles),
            wait: share(parts),
          }),
        ),
      ),
    )
    .filter((some) => some.some(({ weight }) => weight > 0));
}

export function configurationOf(some: readonly Part[], agents: number): LakeConfiguration {
  const all = some.reduce((sum, { weight }) => sum + weight, 0);
  const knobs = ({ size, weight, hole, wait }: Part) =>
    [String(size), { data: weight / all, hole: hole / parts, wait: wait / parts }] as const;
  return { agents, sizes: Object.fromEntries(some.map(knobs)) };
}

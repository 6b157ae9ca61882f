// Configurations for property tests, with shares that are whole parts of whole numbers, so that what they mean can be
// worked out without rounding.
import fc from 'fast-check';
import { configurableSizes, type LakeConfiguration } from '../../configuration.ts';

/** Shares of holes and waits are so many parts of this. */
export const parts = 1000;

/** One size of a configuration: its data share is `weight` parts of all weights. */
export interface Part {
  readonly size: number;
  readonly weight: number;
  readonly hole: number;
  readonly wait: number;
}

interface Bounds {
  readonly sizes?: readonly number[];
  /** Of `parts`. */
  readonly mostHoles?: number;
}

/** Sizes in any order, some without a share, often one that has it all; holes and waits often none or all. */
export function configurations({
  sizes = configurableSizes,
  mostHoles = parts,
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
            hole: share(mostHoles),
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

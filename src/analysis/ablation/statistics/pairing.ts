// Arms held against each other unit by unit: what is hard about a unit is hard for all arms. A unit that lacks a value on
// either side tells nothing of their difference.
import { meanOf } from '../../../lab/statistics/distributions.ts';
import type { Material } from './material.ts';

/** By arm, what came of it in each unit that has a value. */
export type ByUnit = ReadonlyMap<string, ReadonlyMap<string, number>>;

export function byUnit({ arms, values }: Material, measure: string): ByUnit {
  return new Map(
    arms.map(({ arm }) => {
      const own = values.filter((one) => one.arm === arm && one.measure === measure);
      return [arm, new Map(own.flatMap(({ unit, value }) => (value === null ? [] : [[unit, value] as const])))];
    }),
  );
}

/** Arms that do not change with the seed tell of their difference once a run, however often they are asked. */
export function unitsFor(arms: readonly string[], { units, repeating }: Material): readonly string[] {
  return repeating !== undefined && arms.every((arm) => repeating.arms.includes(arm)) ? repeating.units : units;
}

/** A difference as small comes of adding up in another order, and would be tested as one. */
const dust = 1e-12;

/** In the order of the units: the mean of the one arms less the mean of the others. */
export function differencesOf(
  of: readonly string[],
  less: readonly string[],
  units: readonly string[],
  values: ByUnit,
): number[] {
  return units.flatMap((unit) => {
    const [mine, theirs] = [of, less].map((arms) => arms.flatMap((arm) => values.get(arm)?.get(unit) ?? []));
    const isWhole = mine?.length === of.length && theirs?.length === less.length;
    if (!isWhole || of.length === 0 || less.length === 0) return [];
    const difference = meanOf(mine) - meanOf(theirs);
    return [Math.abs(difference) < dust ? 0 : difference];
  });
}

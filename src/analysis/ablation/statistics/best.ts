// The arm that came out best, and whether more than chance put it there. Whoever comes out first was picked after the fact:
// to be called the best it has to be told apart from every other arm, each test counted as often as there are arms, for any
// of them might have been picked.

import { meanOf } from '../../../lab/statistics/distributions.ts';
import { type Needed, neededFor } from '../../../lab/statistics/power.ts';
import { alphaOf, shiftOf } from '../../../lab/statistics/significance.ts';
import { twinsOf } from './alike.ts';
import { drawnBy } from './compared.ts';
import type { Material } from './material.ts';
import { type ByUnit, byUnit, differencesOf, unitsFor } from './pairing.ts';

export interface Best {
  readonly arm: string;
  readonly mean: number;
  readonly second: string;
  /** How far before the second best, in their pairs. */
  readonly before: number;
  /** That have a value of it. */
  readonly units: number;
  /** How likely it is so far before each of the others by chance, counted for all arms. */
  readonly p: number;
  readonly isTold: boolean;
  /** The one it is told apart from the least. */
  readonly closest: string;
  /** So many units would tell so large a difference from the second best. */
  readonly needed: Needed;
  readonly arms: number;
  /** Those that came to the same as the first, itself among them. */
  readonly together: readonly string[];
}

/** What comes of adding the same numbers in another order. */
const rounding = 1e-12;

/** Null where fewer than two arms that decided differently have a value in every unit that any arm has. */
export function bestBy(measure: string, material: Material): Best | null {
  const values = byUnit(material, measure);
  const sign = material.better[measure] === 'lower' ? -1 : 1;
  const ranked = contenders(values, material)
    .map((arm) => ({ arm, mean: meanOf([...(values.get(arm)?.values() ?? [])]) }))
    .sort((one, other) => sign * (other.mean - one.mean));
  const [first, second] = ranked;
  if (first === undefined || second === undefined) return null;
  const alpha = alphaOf(material.level);
  const held = ranked.slice(1).map(({ arm }) => {
    const differences = differencesOf([first.arm], [arm], unitsFor([first.arm, arm], material), values).map(
      (one) => sign * one,
    );
    return { arm, differences, p: differences.length === 0 ? 1 : shiftOf(differences, drawnBy).above(0) };
  });
  const closest = held.reduce((most, one) => (one.p > most.p ? one : most));
  const p = Math.min(1, ranked.length * closest.p);
  const differences = held[0]?.differences ?? [];
  return {
    ...{ arm: first.arm, mean: first.mean, second: second.arm, closest: closest.arm, p, isTold: p < alpha },
    before: meanOf(differences),
    units: values.get(first.arm)?.size ?? 0,
    needed: neededFor(differences, (2 * alpha) / ranked.length),
    arms: ranked.length,
    together: ranked.filter(({ mean }) => Math.abs(mean - first.mean) < rounding).map(({ arm }) => arm),
  };
}

/** One of those that decided the same with the same outcome; means over other units could not be held against each other. */
function contenders(values: ByUnit, material: Material): string[] {
  const twins = twinsOf(material);
  const most = Math.max(...Array.from(values.values(), ({ size }) => size), 1);
  const whole = material.arms.map(({ arm }) => arm).filter((arm) => values.get(arm)?.size === most);
  const isAsGood = (one: string, other: string): boolean =>
    twins.some((alike) => alike.includes(one) && alike.includes(other)) &&
    differencesOf([one], [other], material.units, values).every((difference) => difference === 0);
  return whole.filter((arm, i) => !whole.slice(0, i).some((before) => isAsGood(before, arm)));
}

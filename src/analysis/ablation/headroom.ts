// How much a good decision could gain, from an ablation of engineers that read nothing and of those that cheat.
import type { Ablated } from '../../../schemas/ablation-output.ts';
import type { Headroom } from '../../../schemas/headroom-output.ts';
import { counted } from '../../base/quantity.ts';
import { type Document, filled, list, right, section, table } from '../../document/document.ts';
import { deviationOf, meanOf } from '../../lab/statistics/distributions.ts';
import { effectFound, unitsNeeded, usualPower } from '../../lab/statistics/power.ts';
import { alphaOf } from '../../lab/statistics/significance.ts';

/** Numbers of seeds that people use. */
const usualSeeds = [6, 10, 16, 20];

/** With fewer seeds, a half cannot choose. */
const fewestForHalves = 4;

/** More seeds than this are no practical experiment. */
const practical = 50;

type Values = ReadonlyMap<string, number>;

interface Arm {
  readonly arm: string;
  readonly upperBound: boolean;
  /** Differences to uniform, by unit; positive is better. */
  readonly gains: Values;
  readonly mean: number | null;
}

type Measured = Pick<Ablated, 'ledger' | 'ablation' | 'name' | 'level' | 'measures' | 'values'> & {
  readonly arms: readonly { readonly arm: string }[];
};

export function headroomOf(ablated: Measured, environment: string, upperBounds: readonly string[]): Headroom {
  const { measure, better, is } = testedIn(ablated);
  const sign = better === 'lower' ? -1 : 1;
  const valuesOf = (arm: string): Values =>
    new Map(
      ablated.values.flatMap((one) =>
        one.arm === arm && one.measure === measure && one.value !== null ? [[one.unit, one.value] as const] : [],
      ),
    );
  const usual = valuesOf('uniform');
  const arms = ablated.arms
    .map(({ arm }): Arm => {
      const values = valuesOf(arm);
      const pairs = [...values].flatMap(([unit, value]) => {
        const other = usual.get(unit);
        return other === undefined ? [] : [[unit, sign * (value - other)] as const];
      });
      const mean = values.size === 0 ? null : meanOf([...values.values()]);
      return { arm, upperBound: upperBounds.includes(arm), gains: new Map(pairs), mean };
    })
    .sort((one, other) => gainOf(other) - gainOf(one));
  const oracle = arms.find(({ upperBound }) => upperBound);
  const best = bestOfHalves(arms.filter(({ upperBound }) => !upperBound));
  const noise = noiseOf([[...usual.values()], ...arms.map(({ gains }) => [...gains.values()])]);
  const alpha = alphaOf(ablated.level);
  const reach = Math.max(oracle === undefined ? 0 : gainOf(oracle), best?.gain ?? 0);
  const found = {
    ...{ ledger: ablated.ledger, environment, ablation: ablated.ablation, name: ablated.name ?? ablated.ablation },
    ...{ measure, is, seeds: usual.size, noise, power: usualPower, alpha, best },
    arms: arms.map((one) => ({ arm: one.arm, upperBound: one.upperBound, mean: one.mean, gain: gainOf(one) })),
    oracle: oracle === undefined ? null : { arm: oracle.arm, gain: gainOf(oracle) },
    finds: usualSeeds.map((seeds) => {
      const effect = effectFound(seeds, { alpha, power: usualPower });
      return { seeds, difference: effect === null || noise === null ? null : effect * noise };
    }),
    needed:
      reach <= 0 || noise === null || noise === 0
        ? null
        : unitsNeeded({ effect: reach / noise, alpha, power: usualPower }),
  };
  return { ...found, says: saysOf(found) };
}

function testedIn({ measures }: Measured): Ablated['measures'][number] {
  const [first] = measures;
  if (first === undefined) throw new Error('an ablation that trains has a measure');
  return first;
}

function gainOf({ gains }: Arm): number {
  return gains.size === 0 ? 0 : meanOf([...gains.values()]);
}

/** The best of many arms looks better than it is: another half of the seeds measures what the first half chose. */
function bestOfHalves(arms: readonly Arm[]): Headroom['best'] {
  const units = [...(arms[0]?.gains.keys() ?? [])];
  if (units.length < fewestForHalves) return null;
  const halves = [0, 1].map((half) => units.filter((_, i) => i % 2 === half));
  const gainIn = ({ gains }: Arm, half: readonly string[] = []): number =>
    meanOf(half.map((unit) => gains.get(unit) ?? 0));
  const gains = halves.map((half, i) => {
    const chosen = arms.reduce((most, one) => (gainIn(one, half) > gainIn(most, half) ? one : most));
    return gainIn(chosen, halves[1 - i]);
  });
  return { arm: (arms[0] as Arm).arm, gain: meanOf(gains) };
}

function noiseOf(samples: readonly (readonly number[])[]): number | null {
  const deviations = samples.filter(({ length }) => length > 1).map(deviationOf);
  return deviations.length === 0 ? null : Math.max(...deviations);
}

function saysOf({ oracle, best, noise, needed, is }: Omit<Headroom, 'says'>): string[] {
  const text = (value: number): string => amount(value, is);
  const inNoise = (gain: number): string =>
    noise === null || noise === 0 ? '' : `, ${(gain / noise).toFixed(1)} standard deviations of a seed`;
  return [
    ...(oracle === null
      ? [
          'No engineer knows what this environment hides: what is possible is unknown, and at least what the best arm gains.',
        ]
      : [`${oracle.arm}, which cheats, gains ${text(oracle.gain)} over uniform${inNoise(oracle.gain)}.`]),
    ...(best === null
      ? ['Too few seeds to choose the best arm on one half and measure it on the other.']
      : [`The best arm that reads nothing gains ${text(best.gain)} over uniform on seeds that did not choose it.`]),
    ...(needed === null
      ? ['There is nothing to find here: choose another budget, start or environment.']
      : needed > practical
        ? [`Hardly anything can be found here: ${counted(needed, 'seed')} would be needed to find as much.`]
        : [`${counted(needed, 'seed')} would find as much; a context or engineer that gains less needs more.`]),
  ];
}

function amount(value: number, is: Headroom['is']): string {
  return is === 'share' ? `${(100 * value).toFixed(1)} points` : String(Number(value.toPrecision(3)));
}

export function headroomDocument(headroom: Headroom): Document {
  const { environment, arms, finds, says, seeds, measure, noise, is } = headroom;
  const text = (value: number | null): string => (value === null ? '-' : amount(value, is));
  const mean = (value: number | null): string =>
    value !== null && is === 'share' ? `${(100 * value).toFixed(1)} %` : text(value);
  return {
    title: `Headroom of ${environment}: ${counted(seeds, 'seed')}, by ${measure}`,
    blocks: [],
    sections: filled([
      section(null, [list(says)]),
      section('Arms', [
        table(arms, [
          { title: 'arm', mark: 'strong', cell: ({ arm, upperBound }) => (upperBound ? `${arm} (upper bound)` : arm) },
          right(measure, (arm) => mean(arm.mean)),
          right('less uniform', ({ gain }) => text(gain)),
        ]),
      ]),
      section(`What one contrast can find, at a standard deviation of ${text(noise)}`, [
        table(finds, [
          right('seeds', (one) => String(one.seeds)),
          right('differences of at least', ({ difference }) => text(difference)),
        ]),
      ]),
    ]),
  };
}

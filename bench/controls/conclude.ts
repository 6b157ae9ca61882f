// What the sets of a control amount to, by the protocol.
import { deviationOf, meanOf } from '../../src/lab/statistics/distributions.ts';
import { signFlip } from '../../src/lab/statistics/significance.ts';
import { type Control, contrasts, level, required, upperBound } from './protocol.ts';
import type { SetResult } from './set.ts';

export interface Conclusion {
  readonly sets: number;
  readonly contrasts: readonly {
    readonly contrast: string;
    /** Over all sets, in points. */
    readonly difference: number;
    /** The number of sets in which there was something to test: both sides did not decide the same everywhere. */
    readonly tested: number;
    /** The number of sets in which it would be significant if it were the only one: the nominal rate, where nothing is to find. */
    readonly alone: number;
    /** The number of sets in which it is significant, and in favour of the reader. */
    readonly significant: number;
    readonly better: number;
  }[];
  /** The number of sets in which any contrast is significant, and in which every one is significantly better. */
  readonly any: number;
  readonly every: number;
  readonly headroom: Headroom;
}

interface Headroom {
  readonly gain: number;
  /** The largest standard deviation over seeds: of the oracle, of uniform, or of their difference. */
  readonly noise: number;
  readonly ratio: number;
}

const isSignificant = ({ p }: SetResult['contrasts'][number]): boolean => p !== null && p < 1 - level;

export function concluded(results: readonly SetResult[]): Conclusion {
  const found = (contrast: string) =>
    results.flatMap((result) => result.contrasts.filter((one) => one.contrast === contrast));
  return {
    sets: results.length,
    contrasts: contrasts.map((contrast) => {
      const all = found(contrast);
      const significant = all.filter(isSignificant);
      return {
        contrast,
        difference: meanOf(all.map(({ difference }) => difference)),
        alone: results.filter((result) => isSignificantAlone(result, contrast)).length,
        tested: all.filter(({ p }) => p !== null).length,
        significant: significant.length,
        better: significant.filter(({ difference }) => difference > 0).length,
      };
    }),
    any: results.filter((result) => result.contrasts.some(isSignificant)).length,
    every: results.filter((result) => result.contrasts.every((one) => isSignificant(one) && one.difference > 0)).length,
    headroom: headroomOf(results),
  };
}

function isSignificantAlone({ rates }: SetResult, contrast: string): boolean {
  const [arm = '', reference = ''] = contrast.split(':');
  const differences = (rates[arm] ?? []).map((rate, i) => rate - (rates[reference]?.[i] ?? Number.NaN));
  return signFlip(differences, contrast) < 1 - level;
}

function headroomOf(results: readonly SetResult[]): Headroom {
  const of = (arm: string): readonly number[] => results.flatMap(({ rates }) => rates[arm] ?? []);
  const [most, usual] = [of(upperBound), of('uniform')];
  const gains = most.map((rate, i) => rate - (usual[i] ?? Number.NaN));
  const noise = Math.max(...[most, usual, gains].map(deviationOf));
  return { gain: meanOf(gains), noise, ratio: meanOf(gains) / noise };
}

/** Null for tuning seeds, from which nothing is concluded. */
export function isAsRequired(control: Control, { every, any, headroom }: Conclusion): boolean | null {
  if (control === 'negative') return any <= required.negativeSets;
  if (control === 'positive') return every >= required.positiveSets && headroom.ratio >= required.headroom;
  return null;
}

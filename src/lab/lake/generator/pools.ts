// Which pool an instance belongs to: decided by what it is, turned and mirrored alike, so that no two pools ever share
// one, whatever was generated with whatever seed.
import type { Split } from '../../environments/environment.ts';

/** Of 16 parts of all instances. Small lakes are few: the test pool needs enough of them for suites without repetition. */
const pools: readonly (readonly [split: Split, parts: number])[] = [
  ['train', 7],
  ['validation', 2],
  ['probe', 2],
  ['probe-holdout', 1],
  ['test', 4],
];

const byDigit: readonly Split[] = pools.flatMap(([split, parts]) => Array.from({ length: parts }, () => split));

/** Which share of all instances a pool has, give or take. */
export function shareOf(split: Split): number {
  return byDigit.filter((pool) => pool === split).length / byDigit.length;
}

/** `symmetryDigest` is a SHA-256 in hexadecimal: its first digit decides. */
export function poolOf(symmetryDigest: string): Split {
  return byDigit[Number.parseInt(symmetryDigest.charAt(0), 16)] as Split;
}

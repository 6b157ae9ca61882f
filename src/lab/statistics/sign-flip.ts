// Differences of pairs, tried against chance: if neither side were better, each difference would be as likely to have the
// other sign. So many of all ways to set the signs lead as far from zero as the differences that came.
import { Random } from '../random.ts';

/** All ways are gone through up to so many pairs: a quarter of a million. */
const mostInAll = 18;
/** Of more pairs so many ways are drawn. */
const drawn = 20_000;
/** What adding up in another order may change, as a part of all sizes together. */
const dust = 1e-9;

/** `seed` decides what is drawn, where there are too many pairs to go through all ways. */
export function signFlip(differences: readonly number[], seed: string): number {
  const sizes = differences.map(Math.abs).filter((size) => size > 0);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const least = Math.abs(differences.reduce((sum, one) => sum + one, 0)) - dust * all;
  return sizes.length <= mostInAll ? ofAll(sizes, least) : ofDrawn(sizes, least, seed);
}

/** The smallest that it can come to with so many pairs: with five it never reaches 0.05. */
export function leastSignFlip(pairs: number): number {
  return Math.min(1, 2 / 2 ** pairs);
}

/** From one way to the next a single sign changes: the lowest bit that is set in its number says which. */
function ofAll(sizes: readonly number[], least: number): number {
  const ways = 2 ** sizes.length;
  const signs = sizes.map(() => 1);
  let sum = sizes.reduce((all, size) => all + size, 0);
  let as = Math.abs(sum) >= least ? 1 : 0;
  for (let way = 1; way < ways; way++) {
    const i = 31 - Math.clz32(way & -way);
    const sign = -(signs[i] ?? 1);
    signs[i] = sign;
    sum += 2 * sign * (sizes[i] ?? 0);
    if (Math.abs(sum) >= least) as += 1;
  }
  return as / ways;
}

/** The way that came is one of them: so it is never nothing. */
function ofDrawn(sizes: readonly number[], least: number, seed: string): number {
  const luck = new Random(seed, 'sign-flip', sizes.length);
  let as = 1;
  for (let way = 0; way < drawn; way++) {
    let [sum, bits] = [0, 0];
    for (let i = 0; i < sizes.length; i++) {
      bits = i % 32 === 0 ? luck.word() : bits >>> 1;
      sum += (bits & 1) === 1 ? (sizes[i] ?? 0) : -(sizes[i] ?? 0);
    }
    if (Math.abs(sum) >= least) as += 1;
  }
  return as / (drawn + 1);
}

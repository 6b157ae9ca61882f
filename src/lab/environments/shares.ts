// Shares of a whole brought to their total: all by the same factor, save those that meet an end of their range.
import type { Knob } from '../../../schemas/environment.ts';

export interface Share {
  readonly knob: Knob;
  readonly value: number;
}

/** What is less than this part of the total is nothing: no factor makes much of it. */
const negligible = 1e-12;

/**
 * The same shares with values that sum to the total, each within its range. Where the ranges cannot reach the total they
 * come as near as they can. Shares of nothing at all become equal.
 */
export function renormalised(shares: readonly Share[], total: number): number[] {
  const weights = shares.map(({ value }) => (value > total * negligible ? value : 0));
  const scaled = spread(shares, weights, total);
  const missing = total - sumOf(scaled);
  // No factor makes anything of nothing: what the others could not take is for those at 0, in equal parts.
  const filled = missing > total * negligible ? topped(shares, weights, scaled, total) : scaled;
  return shares.length > 0 && shares.every(({ knob }) => knob.integer === true) ? whole(shares, filled, total) : filled;
}

function topped(
  shares: readonly Share[],
  weights: readonly number[],
  scaled: readonly number[],
  total: number,
): number[] {
  const taken = sumOf(scaled.filter((_, i) => (weights[i] as number) > 0));
  const empty = shares.filter((_, i) => weights[i] === 0);
  const parts = spread(
    empty,
    empty.map(() => 1),
    total - taken,
  );
  return scaled.map((value, i) => (weights[i] === 0 ? (parts.shift() as number) : value));
}

/**
 * Weights times one factor, cut to the ranges, with the factor that makes them sum to the total. In each round those that
 * leave their range on the side where more is lost are held at its end, and the others share what is left.
 */
function spread(shares: readonly Share[], weights: readonly number[], total: number): number[] {
  const values = shares.map(() => 0);
  const free = new Set(shares.keys());
  while (free.size > 0) {
    const held = sumOf(values.filter((_, i) => !free.has(i)));
    const weight = sumOf(weights.filter((_, i) => free.has(i)));
    const factor = weight > 0 ? Math.max(total - held, 0) / weight : 0;
    let balance = 0;
    for (const i of free) {
      const wanted = (weights[i] as number) * factor;
      values[i] = within(shares[i] as Share, wanted);
      balance += (values[i] as number) - wanted;
    }
    const leaving = [...free].filter((i) => {
      const off = (values[i] as number) - (weights[i] as number) * factor;
      return balance > 0 ? off > 0 : balance < 0 ? off < 0 : true;
    });
    for (const i of leaving) free.delete(i);
  }
  return values;
}

function within({ knob: { range } }: Share, value: number): number {
  return Math.min(Math.max(value, range.min), range.max);
}

/** Whole numbers that sum to the total: each rounded down, and the largest remainders rounded up. */
function whole(shares: readonly Share[], values: readonly number[], total: number): number[] {
  const down = values.map((value) => Math.floor(value + 1e-9));
  let missing = Math.round(total - sumOf(down));
  const byRemainder = [...values.keys()].sort((a, b) => remainder(values, down, b) - remainder(values, down, a));
  for (const i of byRemainder) {
    const room = (shares[i] as Share).knob.range.max - (down[i] as number);
    if (missing < 1 || room < 1) continue;
    down[i] = (down[i] as number) + 1;
    missing -= 1;
  }
  return down;
}

const remainder = (values: readonly number[], down: readonly number[], i: number): number =>
  (values[i] as number) - (down[i] as number);

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}

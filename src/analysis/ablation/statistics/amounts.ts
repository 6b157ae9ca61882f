// Numbers of an ablation as sentences hold them: shares as points of percent, other measures to three digits.
import type { Interval } from '../../../lab/statistics/distributions.ts';
import type { Material } from './material.ts';

export interface Told {
  readonly measure: string;
  readonly isShare: boolean;
}

export function toldOf(measure: string, { better, shares, values }: Material): Told {
  if (shares !== undefined) return { measure, isShare: shares.includes(measure) };
  const own = values.flatMap((one) => (one.measure === measure && one.value !== null ? [one.value] : []));
  return { measure, isShare: better[measure] === 'higher' && own.every((value) => value >= 0 && value <= 1) };
}

/** How an arm did: `45.1 %`. */
export function figure({ isShare }: Told, value: number): string {
  return isShare ? `${(100 * value).toFixed(1)} %` : digits(value);
}

/** How much one is above another, without its sign: `3.1 points`. What is no zero is never written as one. */
export function distance({ isShare }: Told, value: number): string {
  const size = Math.abs(value);
  if (!isShare) return digits(size);
  const points = (100 * size).toFixed(1);
  return `${Number(points) === 0 ? digits(100 * size) : points} points`;
}

/** With its sign, where nothing is claimed of it: `+1.2 points`. */
export function signed({ isShare }: Told, value: number): string {
  const text = isShare ? (100 * value).toFixed(1) : digits(value);
  const sign = Number(text) > 0 ? '+' : '';
  return `${sign}${whole(text)}${isShare ? ' points' : ''}`;
}

export function range({ isShare }: Told, { low, high }: Interval): string {
  const [from, to] = [low, high].map((end) => whole(isShare ? (100 * end).toFixed(1) : digits(end)));
  return `[${from}, ${to}]`;
}

/** What was stated to count as none, as it was stated: `2 points`. */
export function marginText({ isShare }: Told, margin: number): string {
  if (!isShare) return digits(margin);
  const points = Number((100 * margin).toFixed(3));
  return `${points} ${points === 1 ? 'point' : 'points'}`;
}

export function chance(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${Number(p.toPrecision(3))}`;
}

export function seeds(count: number): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'seed' : 'seeds'}`;
}

const mostListed = 8;

export function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostListed);
  const rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

function digits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** No zero has a sign. */
function whole(text: string): string {
  return Number(text) === 0 ? text.replace('-', '') : text;
}

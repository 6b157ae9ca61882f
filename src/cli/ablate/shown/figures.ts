// Figures of an ablation as people read them: shares in percent with one decimal, other measures to three digits.
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { percent } from '../../runs/figures.ts';

export type Measure = Ablated['measures'][number];
export type Better = Measure['better'];

export interface Interval {
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** What a column of it is called: `valid %`. */
export function titleOf({ measure, is }: Measure): string {
  return is === 'share' ? `${measure} %` : measure;
}

export function figureText({ is }: Measure, value: number | null): string {
  if (value === null) return '';
  return is === 'share' ? percent(value) : digits(value);
}

/** `45.1 ±1.8`: means lie in the middle of their intervals. */
export function meanText(measure: Measure, value: number | null, { low, high }: Interval): string {
  if (value === null || low === undefined || high === undefined) return figureText(measure, value);
  return `${figureText(measure, value)} ${aroundText(measure, { low, high })}`;
}

/** `±1.8`; empty without an interval. */
export function aroundText({ is }: Measure, { low, high }: Interval): string {
  if (low === undefined || high === undefined) return '';
  const half = (high - low) / 2;
  return `±${is === 'share' ? (100 * half).toFixed(1) : digits(half)}`;
}

/** `+3.1`: points of percent, where it is a share. */
export function signedText({ is }: Measure, value: number | null): string {
  if (value === null) return '';
  const text = is === 'share' ? (100 * value).toFixed(1) : digits(value);
  if (Number(text) === 0) return text.replace('-', '');
  return value > 0 ? `+${text}` : text;
}

/** `+3.1 [+1.0, +5.2]`. */
export function differenceText(measure: Measure, value: number | null, { low, high }: Interval): string {
  const text = signedText(measure, value);
  if (value === null || low === undefined || high === undefined) return text;
  return `${text} [${signedText(measure, low)}, ${signedText(measure, high)}]`;
}

const leastChance = 0.001;

export function chanceText(p: number | null): string {
  if (p === null) return '';
  return p < leastChance ? `<${leastChance}` : p.toFixed(3);
}

/** Null where there is none, for whatever reason. */
export function numberOf(score: Ablated['comparisons'][number]['difference'] | undefined): number | null {
  return typeof score === 'number' ? score : null;
}

export function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** Of a knob; null where it is not set. */
export function knobText(value: number | null): string {
  return value === null ? 'none' : digits(value);
}

export function turnText({ from, to }: { readonly from: number | null; readonly to: number | null }): string {
  return `${knobText(from)} → ${knobText(to)}`;
}

function digits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

// Figures of runs as people read them: shares in percent, with their intervals, and numbers of knobs.
import type { Rate } from '../../../schemas/run-output.ts';
import { short } from '../output/quantity.ts';

/** All else that evaluations and stages come to are amounts: `tokens/input`, `cost/USD`. */
export function isShare(measure: string): boolean {
  return ['valid', 'optimal', 'fault', 'signal'].includes(measure);
}

/** In percent; empty where it is not known. What is not all is never shown as all, what is not none never as none. */
export function percent(share: number | null): string {
  if (share === null) return '';
  const text = (100 * share).toFixed(1);
  if (text === '100.0' && share < 1) return '>99.9';
  return text === '0.0' && share > 0 ? '<0.1' : text;
}

/** With its interval in whole percents: `40.5 [38, 43]`. */
export function rateText({ value, low, high }: Rate): string {
  if (value === null || low === null || high === null) return percent(value);
  return `${percent(value)} [${(100 * low).toFixed(0)}, ${(100 * high).toFixed(0)}]`;
}

export function knobText(value: number | null): string {
  return value === null ? 'none' : short(Number(value.toPrecision(6)));
}

/** `0.3 → 0.2`. */
export function turnText({ from, to }: { readonly from: number | null; readonly to: number | null }): string {
  return `${knobText(from)} → ${knobText(to)}`;
}

/** By how many steps of its knob, with its sign. */
export function stepsText(steps: number | null): string {
  if (steps === null) return '';
  const size = short(Number(Math.abs(steps).toFixed(2)));
  return `${steps < 0 ? '-' : '+'}${size} ${size === '1' ? 'step' : 'steps'}`;
}

/** As far apart as two shares are, in percentage points. */
export function pointsText(from: number | null, to: number | null): string {
  if (from === null || to === null) return '';
  const points = 100 * (to - from);
  const text = Math.abs(points).toFixed(1);
  if (text === '0.0') return '0.0';
  return `${points < 0 ? '-' : '+'}${text}`;
}

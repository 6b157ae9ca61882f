// Figures of runs as people read them on a terminal: shares in percent with their intervals, knobs, differences and alerts.
import type { Rate, StageRow } from '../../schemas/run-output.ts';
import { shortNumber } from '../base/quantity.ts';

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

/** In whole percents, for a sentence: `24`. What is not all is never shown as all, what is not none never as none. */
export function wholePercent(share: number | null): string {
  if (share === null) return '';
  const text = (100 * share).toFixed(0);
  if (text === '100' && share < 1) return '>99';
  return text === '0' && share > 0 ? '<1' : text;
}

/** `24 → 77 %`; only the known one where the other is missing, and empty without both. */
export function wholeCourse(from: number | null, to: number | null): string {
  const known = [from, to].filter((share) => share !== null).map(wholePercent);
  return known.length === 0 ? '' : `${known.join(' → ')} %`;
}

/**
 * `24 → 77 %` and `+53 points`: with as many digits as it takes for the difference of the rates, rounded, to be that of the rounded rates, and
 * not far from the real one.
 * `<1` and `>99` say too little to check a difference, and a difference is never shown as none.
 */
export function courseWithPoints(
  from: number | null,
  to: number | null,
): { readonly course: string; readonly points: string } {
  const whole = { course: wholeCourse(from, to), points: pointsOf(wholePoints(from, to)) };
  if (from === null || to === null) return whole;
  const rounded = (share: number, digits: number): number => Number((100 * share).toFixed(digits));
  const agree = (digits: number): boolean =>
    (rounded(to, digits) - rounded(from, digits)).toFixed(digits) === (100 * (to - from)).toFixed(digits) &&
    Math.abs(rounded(to - from, digits) - 100 * (to - from)) <= mostRounded * 100 * Math.abs(to - from) + noise;
  const digits = (/[<>]/.test(whole.course) ? [1, 2] : [0, 1, 2]).find(agree) ?? 2;
  if (digits === 0) return whole;
  const points = (100 * (to - from)).toFixed(digits);
  const text = (share: number): string => (digits === 1 ? percent(share) : (100 * share).toFixed(digits));
  return {
    course: `${[from, to].map(text).join(' → ')} %`,
    points: pointsOf(to > from ? `+${points}` : points),
  };
}

/** What subtracting leaves of equal rates. */
const noise = 1e-9;

/** Half a point is not shown as a whole one. */
const mostRounded = 0.25;

function pointsOf(points: string): string {
  return points === '' ? '' : `${points} ${/^[+-]?1$/.test(points) ? 'point' : 'points'}`;
}

/** `40 [26, 55]`. */
export function wholeRate({ value, low, high }: Rate): string {
  if (value === null || low === null || high === null) return wholePercent(value);
  return `${wholePercent(value)} [${(100 * low).toFixed(0)}, ${(100 * high).toFixed(0)}]`;
}

/** `+38`: whole percentage points. */
export function wholePoints(from: number | null, to: number | null): string {
  if (from === null || to === null) return '';
  // Without the noise of a subtraction: 0.0375 - 0.0025 is a little less than 0.035.
  const points = Math.round(Number((100 * (to - from)).toFixed(9)));
  return points > 0 ? `+${points}` : `${points}`.replace(/^-0$/, '0');
}

/** With its interval in whole percents: `40.5 [38, 43]`. */
export function rateText({ value, low, high }: Rate): string {
  if (value === null || low === null || high === null) return percent(value);
  return `${percent(value)} [${(100 * low).toFixed(0)}, ${(100 * high).toFixed(0)}]`;
}

export function knobText(value: number | null): string {
  return value === null ? 'none' : shortNumber(Number(value.toPrecision(6)));
}

/** `0.3 → 0.2`. */
export function turnText({ from, to }: { readonly from: number | null; readonly to: number | null }): string {
  return `${knobText(from)} → ${knobText(to)}`;
}

/** `0.125 → 0.287`, with three digits, or as many as it takes to see a change. */
export function shortTurnText({ from, to }: { readonly from: number | null; readonly to: number | null }): string {
  const texts = (digits: number): readonly string[] =>
    [from, to].map((value) => (value === null ? 'none' : shortNumber(Number(value.toPrecision(digits)))));
  const enough = from === to ? undefined : [3, 4, 5, 6].find((digits) => texts(digits)[0] !== texts(digits)[1]);
  return texts(enough ?? 3).join(' → ');
}

/** By how many steps of its knob, with its sign. */
export function stepsText(steps: number | null): string {
  if (steps === null) return '';
  const size = shortNumber(Number(Math.abs(steps).toFixed(2)));
  if (size === '0' && steps !== 0) return 'less than 0.01 knob steps';
  return `${steps < 0 ? '-' : '+'}${size} knob ${size === '1' ? 'step' : 'steps'}`;
}

/** As far apart as two shares are, in percentage points. */
export function pointsText(from: number | null, to: number | null): string {
  if (from === null || to === null) return '';
  const points = 100 * (to - from);
  const text = Math.abs(points).toFixed(1);
  if (text === '0.0') return '0.0';
  return `${points < 0 ? '-' : '+'}${text}`;
}

const leastChance = 0.001;

/** How likely it is that chance alone makes a difference this large; empty where it is not known. */
export function chanceText(p: number | null): string {
  if (p === null) return '';
  return p < leastChance ? `<${leastChance}` : p.toFixed(3);
}

export const alertKinds = {
  'signal-collapse': 'the learning signal collapsed',
  forgetting: 'what was mastered is being forgotten',
};

type Alert = StageRow['alerts'][number];

export function alertText({ kind, family, measure, before, now, message }: Alert): string {
  const where = family === null ? '' : ` in ${family}`;
  const words = message === undefined || message === '' ? '' : `. ${message}`;
  const score = (value: Alert['before']): string => (typeof value === 'number' ? threeDigits(value) : value.reason);
  return `${alertKinds[kind]}${where}: ${measure} ${score(before)} → ${score(now)}${words}`;
}

export function threeDigits(value: number): string {
  return shortNumber(Number(value.toPrecision(3)));
}

/** Enough of a digest to tell it from others; any other reference stays as it is. */
export function shortDigest(reference: string): string {
  return /^[0-9a-f]{64}$/.test(reference) ? reference.slice(0, 12) : reference;
}

// Figures of runs as text in a report.

import type { Report } from '../../../schemas/report-output.ts';
import type { Rate } from '../../../schemas/run-output.ts';
import type { WhyCourse, WhyFigure } from '../../../schemas/why-output.ts';
import { numberWords, percent, rateWords } from '../../../web/charts/words.ts';
import { count } from '../../base/quantity.ts';
import { type Marked, marked, quiet, strong, type Words } from '../../document/document.ts';
import { alertKinds } from '../../document/figures.ts';
import { overlap } from '../../producers/history/figures.ts';

/** The engineer uses no context, so contexts are no part of the story. */
export function isBlind({ asked: { engineer } }: Report['run']): boolean {
  return engineer?.reads?.length === 0;
}

export function turnWords({ from, to }: { readonly from: number | null; readonly to: number | null }): string {
  return `${numberWords(from)} → ${numberWords(to)}`;
}

/** `+7.5 steps`. */
export function stepsWords(steps: number): string {
  const size = String(Number(Math.abs(steps).toFixed(1)));
  if (size === '0') return 'less than 0.1\u00a0steps';
  return `${steps < 0 ? '−' : '+'}${size}\u00a0${size === '1' ? 'step' : 'steps'}`;
}

export function momentWords(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)}`;
}

export function pointsWords(gain: number): string {
  const text = Math.abs(100 * gain).toFixed(1);
  const sign = text === '0.0' ? '' : gain < 0 ? '−' : '+';
  return `${sign}${text}\u00a0points`;
}

export function familyWords(family: string | null): string {
  return family === null ? 'all families' : `family ${family}`;
}

/** `valid 37.5 % [29, 46], 45 of 120`; what the evidence id already says is not repeated. */
export function figureWords(
  evidenceId: string,
  { measure, about, value, count: times, of, low, high }: WhyFigure,
): string {
  const what = [measure, about ?? ''].filter((word) => word !== '' && !evidenceId.includes(word)).join(' ');
  const figure =
    typeof value !== 'number'
      ? `none, ${value.reason}`
      : times === null || of === null
        ? numberWords(value)
        : `${rateWords({ value, low, high })}, ${count(times)} of ${count(of)}`;
  return what === '' ? figure : `${what} ${figure}`;
}

/** Two rates of the same tasks. */
export function between(before: Rate, after: Rate): WhyCourse {
  const gain = before.value === null || after.value === null ? null : after.value - before.value;
  return { before, after, gain, overlap: overlap(before, after), missing: null };
}

/**
 * A change of a rate with its uncertainty; empty if it is unknown. A higher rate is better, but a higher learning signal need
 * not be: mastered tasks give less signal.
 */
export function courseWords(
  { before, after, gain, overlap, missing }: WhyCourse,
  more: 'better' | 'unjudged' = 'better',
): Words {
  if (missing !== null || gain === null) return missing === null ? [] : [quiet(missing)];
  const sure = overlap === null ? '' : overlap ? ' (intervals\u00a0overlap)' : ' (intervals\u00a0apart)';
  const points = pointsWords(gain);
  return [
    `${rateWords(before)} → ${rateWords(after)}, `,
    more === 'better' ? changed(points, gain, overlap) : strong(points),
    sure,
  ];
}

/** Marked if the intervals do not overlap. */
function changed(text: string, gain: number, overlap: boolean | null): Marked {
  if (overlap !== false) return strong(text);
  return marked(gain < 0 ? 'warning' : 'good', text);
}

interface Alerted {
  readonly kind: keyof typeof alertKinds;
  readonly family: string | null;
  readonly measure: string;
  readonly before: number | { readonly reason: string };
  readonly now: number | { readonly reason: string };
  readonly message?: string | undefined;
}

export function alertWords({ kind, family, measure, before, now, message }: Alerted): string {
  const score = (value: Alerted['now']): string => (typeof value === 'number' ? percentOrNumber(value) : value.reason);
  const where = family === null ? '' : ` in family ${family}`;
  return `${alertKinds[kind]}${where}: ${measure} ${score(before)} → ${score(now)}${message === undefined || message === '' ? '' : `. ${message}`}`;
}

/** Alerts of icecore concern shares; those of other producers may concern other numbers. */
function percentOrNumber(value: number): string {
  return value >= 0 && value <= 1 ? percent(value) : numberWords(value);
}

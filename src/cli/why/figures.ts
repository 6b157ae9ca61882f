// The figures of a story in words: what an evidence id stood for and what it is now, and what a family did before and after.
import type { WhyCourse, WhyFigure } from '../../../schemas/why-output.ts';
import { count as grouped, short } from '../output/quantity.ts';
import { percent, pointsText, rateText } from '../runs/figures.ts';

/** `6.3 % [1, 28], 2 of 32`; a mean as a number. */
export function figureText({ value, count, of, low, high }: WhyFigure): string {
  if (typeof value !== 'number') return `none: ${value.reason}`;
  if (count === null || of === null) {
    const interval = low === null || high === null ? '' : ` [${numberText(low)}, ${numberText(high)}]`;
    return `${numberText(value)}${interval}`;
  }
  const interval = low === null || high === null ? '' : ` [${(100 * low).toFixed(0)}, ${(100 * high).toFixed(0)}]`;
  return `${percent(value)} %${interval}, ${grouped(count)} of ${grouped(of)}`;
}

function numberText(value: number): string {
  return short(Number(value.toPrecision(3)));
}

/** What of it the evidence id does not say. */
export function subjectText(evidenceId: string, { measure, about }: WhyFigure): string {
  return [measure, about ?? ''].filter((word) => word !== '' && !evidenceId.includes(word)).join(' ');
}

/** `40.0 [26, 55] → 90.0 [79, 96] %, +50.0 points, intervals apart`. */
export function courseText({ before, after, overlap, missing }: WhyCourse): string {
  const [from, to] = [rateText(before), rateText(after)];
  if (missing !== null) return from === '' ? (to === '' ? missing : `${to} %; ${missing}`) : `${from} %; ${missing}`;
  const sure = overlap === null ? '' : overlap ? ', intervals overlap' : ', intervals apart';
  return `${from} → ${to} %, ${pointsText(before.value, after.value)} points${sure}`;
}

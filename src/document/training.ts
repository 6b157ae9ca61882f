// The curve of a training and its figures, in characters.
import type { EventData } from '../../schemas/catalogue.ts';
import { escapeControls } from '../base/escape.ts';
import { count, shortNumber } from '../base/quantity.ts';
import { curveLines, type Frame, roundSpan, shareSpan } from './curve.ts';

type Point = NonNullable<EventData['TrainingRecorded']['curve']>[number];
type Score = Point['values'][string];

/** A number that a trainer reports. */
export interface Figure {
  /** As the trainer calls it. */
  readonly name: string;
  readonly label: string;
  /** A part of a whole: from 0 to 1, written in percent. */
  readonly isShare: boolean;
}

/** In the order in which they are shown; whatever else a trainer reports comes after them. */
const known: readonly Figure[] = [
  { name: 'valid', label: 'valid', isShare: true },
  { name: 'reward', label: 'reward', isShare: false },
  { name: 'entropy', label: 'entropy', isShare: false },
  { name: 'kl', label: 'KL', isShare: false },
  { name: 'signal', label: 'learning signal', isShare: true },
];

/** Those of all families together; a figure of one family is called `valid/8`. */
export function figuresIn(points: readonly Point[]): readonly Figure[] {
  const names = new Set(points.flatMap(({ values }) => Object.keys(values).filter((name) => !name.includes('/'))));
  const others = [...names].filter((name) => !known.some((figure) => figure.name === name));
  return [
    ...known.filter(({ name }) => names.has(name)),
    ...others.map((name) => ({ name, label: name, isShare: false })),
  ];
}

/** Without those that are missing. */
export function numbersOf(name: string, points: readonly Point[]): readonly number[] {
  return points.flatMap(({ values }) => (typeof values[name] === 'number' ? values[name] : []));
}

/** A share in percent, any other number in three digits. */
export function figureText({ isShare }: Pick<Figure, 'isShare'>, score: Score | undefined): string {
  if (typeof score !== 'number') return score === undefined ? '' : 'none';
  return isShare ? shareText(score) : String(Number(score.toPrecision(3)));
}

/** In whole percents; small shares are not rounded to nothing. */
export function shareText(share: number): string {
  const hundredths = 100 * share;
  const isFine = hundredths > 0 && hundredths < 9.95;
  return `${isFine ? Number(hundredths.toPrecision(2)) : Math.round(hundredths)} %`;
}

/** A curve drawn in characters. */
export interface Course {
  readonly label: string;
  readonly lines: readonly string[];
}

/** Where a curve is drawn. */
export interface Canvas {
  readonly columns: number;
  /** Odd. */
  readonly rows: number;
  readonly paint?: Frame['paint'];
}

/** Of the one figure that says most: how much was valid, or else the first there is. Null where there are no numbers. */
export function courseOf(
  points: readonly Point[],
  budget: Readonly<Record<string, number>>,
  { columns, rows, paint }: Canvas,
): Course | null {
  const figure = figuresIn(points).find(({ name }) => numbersOf(name, points).length > 0);
  if (figure === undefined) return null;
  const { name, label, isShare } = figure;
  // What was spent in a unit of the budget where the trainer reports it; else the updates.
  const unit = Object.keys(budget).find((one) => points.every(({ spent }) => spent?.[one] !== undefined));
  const xOf = ({ step, spent }: Point): number => (unit === undefined ? step : (spent?.[unit] ?? 0));
  const last = points.at(-1);
  const to = Math.max(unit === undefined ? 0 : (budget[unit] ?? 0), last === undefined ? 0 : xOf(last));
  const numbers = numbersOf(name, points);
  const places = points.flatMap((point) => {
    const y = point.values[name];
    return typeof y === 'number' ? [{ x: xOf(point), y }] : [];
  });
  const lines = curveLines(places, {
    columns,
    rows,
    x: { from: 0, to },
    y: isShare ? shareSpan(numbers) : roundSpan(numbers),
    xLabel: (value) => (value === 0 ? '0' : `${count(value)} ${escapeControls(unit ?? 'updates')}`),
    yLabel: isShare ? shareText : shortNumber,
    ...(paint === undefined ? {} : { paint }),
  });
  return { label, lines };
}

// The course of a training, drawn: one figure over what was spent.

import { count, short } from '../../../base/quantity.ts';
import type { Paint } from '../../../base/terminal.ts';
import { visible } from '../../../base/visible.ts';
import type { Budget, Point } from '../../../lab/trainers/trainer.ts';
import { curveLines, roundSpan, shareSpan } from '../../output/curve.ts';
import { type Figure, figuresIn, numberIn, numbersOf, percent } from './figures.ts';

export interface Canvas {
  readonly columns: number;
  /** Odd. */
  readonly rows: number;
  readonly paint: Paint;
}

/** The one figure that says most: how much was valid, or else the first there is. None where there are no numbers. */
export function courseLines(points: readonly Point[], budget: Budget, canvas: Canvas): readonly string[] {
  const figure = figuresIn(points).find((one) => numbersOf(one, points).length > 0);
  if (figure === undefined) return [];
  const { columns, rows, paint } = canvas;
  const axis = axisOf(points, budget);
  const lines = curveLines(placesOf(figure, points, axis), {
    columns,
    rows,
    x: { from: 0, to: axis.to },
    y: figure.isShare ? shareSpan(numbersOf(figure, points)) : roundSpan(numbersOf(figure, points)),
    xLabel: (value) => (value === 0 ? '0' : `${count(value)} ${visible(axis.unit)}`),
    yLabel: figure.isShare ? percent : short,
    paint: { curve: paint.cyan, axes: paint.dim },
  });
  return [paint.bold(visible(figure.label)), ...lines];
}

interface Axis {
  readonly unit: string;
  readonly of: (point: Point) => number;
  readonly to: number;
}

/** What was spent in the unit of the budget where it is told; else the updates. */
function axisOf(points: readonly Point[], budget: Budget): Axis {
  const last = points.at(-1);
  const unit = Object.keys(budget).find((one) => points.every(({ spent }) => spent?.[one] !== undefined));
  if (unit === undefined) return { unit: 'updates', of: ({ step }) => step, to: last?.step ?? 0 };
  const of = ({ spent }: Point): number => spent?.[unit] ?? 0;
  return { unit, of, to: Math.max(budget[unit] ?? 0, last === undefined ? 0 : of(last)) };
}

function placesOf({ name }: Figure, points: readonly Point[], axis: Axis): readonly { x: number; y: number }[] {
  return points.flatMap((point) => {
    const y = numberIn(point.values[name]);
    return y === null ? [] : [{ x: axis.of(point), y }];
  });
}

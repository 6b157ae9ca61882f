// Arms one below the other, each with its interval, on one axis, with a line at zero for differences.
import * as Plot from '@observablehq/plot';
import { type Canvas, type Chart, isPointedAt, labelled, plain, roomFor, shortened, type Table } from './chart.ts';
import { accent, alarm, ink } from './colours.ts';

export interface ArmInterval {
  readonly arm: string;
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
  /** Significantly different from the line: drawn filled. */
  readonly isSignificant: boolean;
  /** On the worse side of the line. */
  readonly isWorse: boolean;
  readonly figure: string;
  readonly says: string;
}

export interface IntervalsData {
  readonly title: string;
  readonly caption: string;
  /** The unit of the axis. */
  readonly unit: string;
  readonly arms: readonly ArmInterval[];
  /** The value without any difference. */
  readonly line: number;
  readonly tick: (value: number) => string;
  readonly table: Table;
}

const rowHeight = 24;

/** Null if no arm has an interval: the matrix shows single values. */
export function intervalsChart(data: IntervalsData): Chart | null {
  const { title, caption, arms, table } = data;
  if (arms.every(({ low }) => low === null)) return null;
  const description = `Dots with bars for ${arms.length} arms, and a line where there is no difference: a filled dot is significantly different from it.`;
  const words = { title, description };
  return {
    ...words,
    caption,
    room: 'whole',
    legend: null,
    table,
    draw: (canvas) => labelled(drawn(data, canvas), words),
  };
}

function drawn({ arms, unit, line, tick }: IntervalsData, canvas: Canvas): Element {
  const { document, width } = canvas;
  const tooltip = isPointedAt(canvas, arms.length) ? { title: 'says' } : {};
  const left = Math.max(
    60,
    roomFor(
      arms.map(({ arm }) => arm),
      Math.min(190, width * 0.36),
    ),
  );
  const ends = arms.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  const [least, most] = [Math.min(line, ...ends), Math.max(line, ...ends)];
  const air = (most - least || 1) * 0.04;
  const colour = ({ isSignificant, isWorse }: ArmInterval): string =>
    isSignificant ? (isWorse ? alarm : accent) : ink;
  return Plot.plot({
    document,
    width,
    height: arms.length * rowHeight + 44,
    marginLeft: left,
    marginRight: 14,
    marginTop: 4,
    marginBottom: 40,
    style: plain,
    x: { domain: [least - air, most + air], label: null },
    y: { type: 'band', domain: arms.map(({ arm }) => arm), padding: 0, label: null },
    marks: [
      Plot.gridX({ ticks: width < 400 ? 4 : 8, stroke: ink, strokeOpacity: 0.12 }),
      Plot.axisX({
        ticks: width < 400 ? 4 : 8,
        tickSize: 0,
        tickFormat: tick,
        label: unit,
        labelAnchor: 'center',
        labelArrow: false,
      }),
      Plot.axisY({ tickSize: 0, tickFormat: (arm: string) => shortened(arm, left) }),
      Plot.ruleX([line], { stroke: ink, strokeOpacity: 0.6 }),
      Plot.ruleY(
        arms.filter(({ low }) => low !== null),
        { y: 'arm', x1: 'low', x2: 'high', stroke: colour, strokeWidth: 2, strokeOpacity: 0.7 },
      ),
      Plot.dot(
        arms.filter(({ isSignificant }) => !isSignificant),
        { y: 'arm', x: 'value', r: 4, fill: 'var(--page, Canvas)', stroke: ink, strokeWidth: 1.5, ...tooltip },
      ),
      Plot.dot(
        arms.filter(({ isSignificant }) => isSignificant),
        { y: 'arm', x: 'value', r: 4, fill: colour, ...tooltip },
      ),
    ],
  });
}

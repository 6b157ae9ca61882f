// A chart of the result of a query: lines, bars or dots of one column over another, with a colour for each series.
import * as Plot from '@observablehq/plot';
import { type Canvas, type Chart, isPointedAt, labelled, plain, shortened } from './chart.ts';
import { colourOf, ink } from './colours.ts';
import { capital, many, numberWords } from './words.ts';

interface QueryPoint {
  /** Numbers and moments have a scale; texts are categories. */
  readonly x: number | Date | string;
  readonly y: number;
  readonly series: string;
}

export interface QueryChartData {
  readonly kind: 'line' | 'bar' | 'scatter';
  /** The names of the columns; an empty series: there is only one. */
  readonly x: string;
  readonly y: string;
  readonly series: string;
  readonly points: readonly QueryPoint[];
}

const kinds = { line: 'line chart', bar: 'bar chart', scatter: 'scatter plot' } as const;

export function queryChart(data: QueryChartData): Chart {
  const { kind, x, y, series, points } = data;
  const names = seriesOf(data);
  const words = {
    title: `${y} by ${x}`,
    description: `A ${kinds[kind]} with ${many(points.length, 'mark')}${series === '' ? '' : ` in ${many(names.length, 'series', 'series')}`}.`,
  };
  return {
    ...words,
    caption: capital(`${words.description.replace(/\.$/, '')}${series === '' ? '' : `, coloured by ${series}`}.`),
    room: 'whole',
    legend:
      series === ''
        ? null
        : { kind: 'series', entries: names.map((name, index) => ({ name, colour: colourOf(index) })) },
    table: {
      columns: series === '' ? [x, y] : [x, series, y],
      rows: points.map((point) =>
        series === '' ? [xText(point.x), numberWords(point.y)] : [xText(point.x), point.series, numberWords(point.y)],
      ),
    },
    draw: (canvas) => labelled(drawn(data, names, canvas), words),
  };
}

function seriesOf({ points }: Pick<QueryChartData, 'points'>): readonly string[] {
  return [...new Set(points.map(({ series }) => series))].sort((one, other) =>
    one.localeCompare(other, 'en', { numeric: true }),
  );
}

function drawn(data: QueryChartData, names: readonly string[], canvas: Canvas): Element {
  const { kind, x, y, points } = data;
  const { document, width } = canvas;
  const isCategory = kind === 'bar' || points.some((point) => typeof point.x === 'string');
  const categories = isCategory ? inOrder(points) : [];
  const room = categories.length === 0 ? 0 : (width - 80) / categories.length;
  const longest = Math.max(0, ...categories.map((name) => name.length));
  // Names that would overlap are slanted.
  const isSlanted = longest * 7 > room;
  // Bars of several series share the room of their category, which is a facet then.
  const isGrouped = kind === 'bar' && names.length > 1;
  const colour = ({ series }: QueryPoint): string => colourOf(names.indexOf(series));
  const categoryAxis = {
    ticks: someOf(categories, width),
    tickFormat: (name: string) => shortened(name, 140),
    ...(isSlanted ? { tickRotate: -40 } : {}),
  };
  const axis = { tickSize: 0, label: isSlanted ? null : x, labelAnchor: 'center', labelArrow: false } as const;
  const tooltip = isPointedAt(canvas, points.length) ? { title: pointWords(data) } : {};
  return Plot.plot({
    document,
    width,
    height: isSlanted ? 300 : 260,
    marginLeft: 56,
    marginRight: 16,
    marginTop: 24,
    marginBottom: isSlanted ? Math.min(120, 26 + longest * 6) : 40,
    style: plain,
    ...scalesOf(categories, { names, isGrouped, isBar: kind === 'bar' }),
    y: { label: null, ...(kind === 'bar' ? { zero: true } : {}) },
    marks: [
      Plot.gridY({ ticks: 5, stroke: ink, strokeOpacity: 0.12 }),
      Plot.axisY({ ticks: 5, tickSize: 0, label: y, labelAnchor: 'top', labelArrow: false }),
      isGrouped
        ? Plot.axisFx({ ...axis, ...categoryAxis, anchor: 'bottom' })
        : Plot.axisX({ ...axis, ...(isCategory ? categoryAxis : numberAxis(points, width)) }),
      ...marksOf(data, { names, isCategory, isGrouped, colour, tooltip }),
    ],
  });
}

function scalesOf(
  categories: readonly string[],
  {
    names,
    isGrouped,
    isBar,
  }: { readonly names: readonly string[]; readonly isGrouped: boolean; readonly isBar: boolean },
): Plot.PlotOptions {
  if (categories.length === 0) return { x: { label: null } };
  if (!isGrouped) return { x: { type: isBar ? 'band' : 'point', domain: categories, label: null } };
  return {
    fx: { domain: categories, label: null, padding: 0.2 },
    x: { type: 'band', domain: names, axis: null, padding: 0.05 },
  };
}

interface Look {
  readonly names: readonly string[];
  readonly isCategory: boolean;
  readonly isGrouped: boolean;
  readonly colour: (point: QueryPoint) => string;
  readonly tooltip: { readonly title?: (point: QueryPoint) => string };
}

function marksOf({ kind, points }: QueryChartData, look: Look): Plot.Markish[] {
  const { names, isCategory, colour, tooltip } = look;
  const at = (point: QueryPoint): number | Date | string => (isCategory ? xText(point.x) : point.x);
  if (kind === 'bar') return bars(points, look);
  const radius = points.length > 400 ? 1.75 : points.length > 100 ? 2.5 : 3.5;
  const dots = Plot.dot(points, { x: at, y: 'y', r: radius, fill: colour, fillOpacity: 0.85, ...tooltip });
  if (kind === 'scatter') return [dots];
  const lines = names.map((name, index) =>
    Plot.line(
      ordered(
        points.filter(({ series }) => series === name),
        isCategory,
      ),
      { x: at, y: 'y', stroke: colourOf(index), strokeWidth: 1.75 },
    ),
  );
  return points.length > 400 ? lines : [...lines, dots];
}

function bars(points: readonly QueryPoint[], { isGrouped, colour, tooltip }: Look): Plot.Markish[] {
  const category = ({ x }: QueryPoint): string => xText(x);
  const across = isGrouped ? { fx: category, x: 'series' } : { x: category };
  return [
    Plot.barY(points, { ...across, y: 'y', fill: colour, ...tooltip }),
    Plot.ruleY([0], { stroke: ink, strokeOpacity: 0.6 }),
  ];
}

/** A line goes from left to right, whatever the order of the rows; categories keep theirs. */
function ordered(points: readonly QueryPoint[], isCategory: boolean): readonly QueryPoint[] {
  return isCategory ? points : points.toSorted((one, other) => Number(one.x) - Number(other.x));
}

/** Categories in the order of the rows; numbers and moments in their own. */
function inOrder(points: readonly QueryPoint[]): readonly string[] {
  const isText = points.some(({ x }) => typeof x === 'string');
  const all = isText ? points : points.toSorted((one, other) => Number(one.x) - Number(other.x));
  return [...new Set(all.map(({ x }) => xText(x)))];
}

/** As many names as fit below an axis. */
function someOf(categories: readonly string[], width: number): readonly string[] {
  const every = Math.max(1, Math.ceil((categories.length * 22) / Math.max(width - 80, 1)));
  return categories.filter((_, index) => index % every === 0);
}

/** Whole numbers, such as stages, get no ticks between them. */
function numberAxis(
  points: readonly QueryPoint[],
  width: number,
): { readonly ticks: number | readonly number[]; readonly tickFormat?: (tick: number) => string } {
  const most = Math.max(3, Math.round(width / 110));
  const numbers = points.map(({ x }) => Number(x));
  const [least, last] = [Math.min(...numbers), Math.max(...numbers)];
  const isFew =
    numbers.every(Number.isInteger) && last - least < most && points.every(({ x }) => typeof x === 'number');
  if (!isFew) return { ticks: most };
  return { ticks: Array.from({ length: last - least + 1 }, (_, index) => least + index), tickFormat: String };
}

function pointWords({ x, y, series }: QueryChartData): (point: QueryPoint) => string {
  return (point) =>
    [
      ...(series === '' ? [] : [`${series}: ${point.series}`]),
      `${x}: ${xText(point.x)}`,
      `${y}: ${numberWords(point.y)}`,
    ].join('\n');
}

function xText(x: QueryPoint['x']): string {
  if (typeof x === 'string') return x;
  return typeof x === 'number' ? numberWords(x) : x.toISOString().slice(0, 16).replace('T', ' ');
}

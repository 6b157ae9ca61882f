// Values drawn in characters: curves with axes, sparklines, and strips of shares.
import type { StageRow } from '../../schemas/run-output.ts';
import { displayWidth, padText } from '../base/terminal.ts';
import { percent } from './figures.ts';

/** A point of a curve. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** The range of values that an axis covers. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** How large a curve is drawn, which values its axes cover, and how they are labelled. */
export interface Frame {
  /** Characters altogether, axes included. */
  readonly columns: number;
  /** Lines of the curve itself, an odd number, so that one is in the middle; the axis below takes two more. */
  readonly rows: number;
  readonly x: Span;
  readonly y: Span;
  /** How values of y are written beside their axis. */
  readonly yLabel: (value: number) => string;
  /** How values of x are written below their axis. */
  readonly xLabel: (value: number) => string;
  readonly paint?: { readonly curve: (text: string) => string; readonly axes: (text: string) => string };
}

const plain = (text: string): string => text;

/** Draws a curve with its axes, as lines of text. Values that share a column of dots are averaged. */
export function curveLines(places: readonly Place[], frame: Frame): readonly string[] {
  const { rows, x, y, yLabel, xLabel, paint = { curve: plain, axes: plain } } = frame;
  const labels = new Map([
    [0, yLabel(y.to)],
    [(rows - 1) / 2, yLabel((y.from + y.to) / 2)],
    [rows - 1, yLabel(y.from)],
  ]);
  const left = Math.max(...Array.from(labels.values(), displayWidth));
  const columns = Math.max(1, frame.columns - left - 2);
  const drawn = drawing(places, { columns, rows, x, y }).map((line, row) => {
    const label = labels.get(row);
    const axis = `${padText(label ?? '', left, 'right')} ${label === undefined ? '│' : '┤'}`;
    return `${paint.axes(axis)}${paint.curve(line.trimEnd())}`.trimEnd();
  });
  const [first, last] = [xLabel(x.from), xLabel(x.to)];
  const gap = ' '.repeat(Math.max(1, columns - displayWidth(first) - displayWidth(last)));
  const indent = ' '.repeat(left + 1);
  return [...drawn, paint.axes(`${indent}└${'─'.repeat(columns)}`), paint.axes(`${indent} ${first}${gap}${last}`)];
}

type Surface = Pick<Frame, 'columns' | 'rows' | 'x' | 'y'>;

function drawing(places: readonly Place[], { columns, rows, x, y }: Surface): readonly string[] {
  const dots = new Dots(columns, rows);
  const [across, down] = [dotsAcross * columns - 1, dotsDown * rows - 1];
  const height = (value: number): number => Math.round(down * (1 - part(value, y)));
  let before: { readonly at: number; readonly value: number } | null = null;
  for (const [at, value] of meansBy(places, (place) => Math.round(across * part(place.x, x)))) {
    join(dots, before ?? { at, value }, { at, value }, height);
    before = { at, value };
  }
  return dots.lines();
}

/** Several values in one column of dots are averaged. */
function meansBy(places: readonly Place[], columnOf: (place: Place) => number): readonly (readonly [number, number])[] {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const place of places) {
    const column = columnOf(place);
    const { sum, count } = sums.get(column) ?? { sum: 0, count: 0 };
    sums.set(column, { sum: sum + place.y, count: count + 1 });
  }
  return Array.from(sums, ([column, { sum, count }]) => [column, sum / count] as const).sort(([a], [b]) => a - b);
}

interface Dot {
  readonly at: number;
  readonly value: number;
}

/** A straight line without gaps, column by column. */
function join(dots: Dots, from: Dot, to: Dot, height: (value: number) => number): void {
  let last = height(from.value);
  for (let at = from.at; at <= to.at; at++) {
    const done = to.at === from.at ? 1 : (at - from.at) / (to.at - from.at);
    const here = height(from.value + done * (to.value - from.value));
    for (let row = Math.min(last, here); row <= Math.max(last, here); row++) dots.set(at, row);
    last = here;
  }
}

/** The dot of a Braille character in column `x` and row `y`, as a bit: two columns and four rows of dots make a curve smooth. */
const bits = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;

const blank = 0x2800;

const dotsAcross = 2;
const dotsDown = 4;

/** A surface of Braille characters to draw on, with two dots across and four down in each character. */
export class Dots {
  readonly #columns: number;
  readonly #cells: Uint8Array;

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#cells = new Uint8Array(columns * rows);
  }

  /** From the top left. */
  set(x: number, y: number): void {
    const cell = Math.floor(y / dotsDown) * this.#columns + Math.floor(x / dotsAcross);
    const bit = bits[x % dotsAcross]?.[y % dotsDown] ?? 0;
    this.#cells[cell] = (this.#cells[cell] ?? 0) | bit;
  }

  /** From the top. */
  lines(): readonly string[] {
    const lines: string[] = [];
    for (let from = 0; from < this.#cells.length; from += this.#columns) {
      const cells = this.#cells.subarray(from, from + this.#columns);
      lines.push(Array.from(cells, (cell) => (cell === 0 ? ' ' : String.fromCharCode(blank + cell))).join(''));
    }
    return lines;
  }
}

/** From 0 to 1; values outside are clamped. */
function part(value: number, { from, to }: Span): number {
  return to > from ? Math.min(1, Math.max(0, (value - from) / (to - from))) : 0;
}

/** What is smaller is nothing, and what differs by less of itself is the same. */
const leastSize = 1e-100;
const same = 1e-9;

/** The least of spans with round ends that has all of these in it. */
export function roundSpan(values: readonly number[]): Span {
  const [low, high] = [least(values), most(values)];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size < leastSize) return { from: 0, to: 1 };
  if (high - low < same * size) return { from: Math.min(0, low), to: Math.max(0, high) };
  const raw = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 2.5, 5, 10].find((nice) => nice * power >= raw * (1 - 1e-9)) ?? 10);
  return { from: exact(Math.floor(low / step) * step), to: exact(Math.ceil(high / step) * step) };
}

/** From nothing to the least of a few shares that none of these is above. */
export function shareSpan(values: readonly number[]): Span {
  const high = most(values);
  return { from: 0, to: [0.04, 0.1, 0.2, 0.4, 0.6, 0.8, 1].find((round) => high <= round) ?? 1 };
}

/** Without the digits that come of calculating with tenths. */
function exact(value: number): number {
  return Number(value.toPrecision(12));
}

function least(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), values[0] ?? 0);
}

function most(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), values[0] ?? 0);
}

const blocks = '▁▂▃▄▅▆▇█';

/** Values as a line of at most this number of characters, scaled from the smallest to the largest value or to a span. */
export function sparkline(values: readonly number[], columns: number, span?: Span): string {
  const width = Math.min(columns, values.length);
  const { from: low, to: high } = span ?? { from: least(values), to: most(values) };
  return Array.from({ length: width }, (_, i) => {
    const some = values.slice(Math.floor((i * values.length) / width), Math.floor(((i + 1) * values.length) / width));
    const mean = some.reduce((sum, value) => sum + value, 0) / some.length;
    return blocks[Math.round(part(mean, { from: low, to: high }) * (blocks.length - 1))] ?? '';
  }).join('');
}

type Shares = StageRow['shares'];

const none = '·';
const more = '…';

/** More families than this cannot be distinguished by eye. */
const mostFamilies = 24;

/** Draws the shares of stages to one scale, with a legend. */
export interface Strip {
  /** Of one stage; empty where nothing is known of it. */
  of(shares: Shares): string;
  /** What it means, as a sentence; null where there is nothing to say. */
  readonly legend: string | null;
}

/**
 * How training data are divided, in a block a family: the taller, the larger the share. One scale for all stages of a run, so
 * that they can be compared.
 */
export function stripOf(stages: readonly Shares[]): Strip {
  const families = [...new Set(stages.flatMap((shares) => shares.map(({ family }) => family)))];
  const top = Math.max(0, ...stages.flatMap((shares) => shares.map(({ share }) => share)));
  const shown = families.length > mostFamilies ? families.slice(0, mostFamilies - 1) : families;
  const isCut = shown.length < families.length;
  return {
    of: (shares) => {
      if (shares.length === 0) return '';
      const known = new Map(shares.map(({ family, share }) => [family, share]));
      return shown.map((family) => blockOf(known.get(family) ?? 0, top)).join('') + (isCut ? more : '');
    },
    legend: families.length === 0 ? null : legendOf(shown, families.length, top),
  };
}

function blockOf(share: number, top: number): string {
  if (share <= 0 || top <= 0) return none;
  return blocks[Math.min(blocks.length, Math.ceil((share / top) * blocks.length)) - 1] ?? none;
}

function legendOf(shown: readonly string[], families: number, top: number): string {
  const names = shown.join(' ');
  const rest = shown.length < families ? ` … (${families} families; icecore show RUN@K has them all)` : '';
  return `mixture: share of the training data per family, ${names}${rest}; ${blocks.at(-1)} is ${percent(top)} %, ${none} is none.`;
}

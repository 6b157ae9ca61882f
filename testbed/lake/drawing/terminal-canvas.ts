// Terminal colours from the 256-colour table, which does not depend on themes, chosen to be distinguishable for colour-blind readers and
// legible on dark and light backgrounds.
import { wrapped } from './walk.ts';

export interface Ink {
  /** Of the letters; by default the terminal's own. */
  readonly colour?: number;
  /** The background. */
  readonly ground?: number;
  readonly weight?: 'bold' | 'faint';
}

export const plain: Ink = {};

export const faint: Ink = { weight: 'faint' };

export const water: Ink = { colour: 31 };

export const alarm: Ink = { colour: 231, ground: 160, weight: 'bold' };

export const alarming: Ink = { colour: 196, weight: 'bold' };

const black = 16;

const white = 231;

/** Each with a legible letter colour. They repeat from the ninth agent on; letters distinguish those. */
const colours: readonly (readonly [colour: number, lettersOnIt: number])[] = [
  [33, black],
  [172, black],
  [127, white],
  [28, white],
  [169, black],
  [30, white],
  [99, white],
  [95, white],
];

interface AgentInks {
  /** The agent itself: a letter on a patch of its colour. */
  readonly body: Ink;
  /** Its goal. */
  readonly goal: Ink;
  readonly trail: Ink;
  /** A trail after a failure. */
  readonly ghost: Ink;
}

const inks = colours.map(
  ([colour, lettersOnIt]): AgentInks => ({
    body: { colour: lettersOnIt, ground: colour, weight: 'bold' },
    goal: { colour, weight: 'bold' },
    trail: { colour },
    ghost: { colour, weight: 'faint' },
  }),
);

export function inksOf(agent: number): AgentInks {
  return inks[agent % inks.length] as AgentInks;
}

function inked(text: string, { colour, ground, weight }: Ink): string {
  const codes: string[] = [];
  if (weight !== undefined) codes.push(weight === 'bold' ? '1' : '2');
  if (colour !== undefined) codes.push(`38;5;${colour}`);
  if (ground !== undefined) codes.push(`48;5;${ground}`);
  return codes.length === 0 ? text : `\u001b[${codes.join(';')}m${text}\u001b[0m`;
}

// A rectangle to draw on, with one glyph of width one per place.

interface Place {
  readonly glyph: string;
  readonly ink: Ink;
}

const empty: Place = { glyph: ' ', ink: plain };

export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly #places: Place[];

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.#places = new Array<Place>(width * height).fill(empty);
  }

  /** Text outside of the canvas is dropped. Every character takes one column. */
  write(column: number, row: number, text: string, ink: Ink = plain): void {
    if (row < 0 || row >= this.height) return;
    let at = column;
    for (const glyph of text) {
      if (at >= 0 && at < this.width) this.#places[row * this.width + at] = { glyph, ink };
      at++;
    }
  }

  glyphAt(column: number, row: number): string {
    return (this.#places[row * this.width + column] ?? empty).glyph;
  }

  /** Draws another canvas on this one. */
  place(column: number, row: number, other: Canvas): void {
    for (let y = 0; y < other.height; y++) {
      for (let x = 0; x < other.width; x++) {
        const { glyph, ink } = other.#places[y * other.width + x] as Place;
        this.write(column + x, row + y, glyph, ink);
      }
    }
  }

  lines(colour: boolean): string[] {
    return Array.from({ length: this.height }, (_, row) => {
      const places = this.#places.slice(row * this.width, (row + 1) * this.width);
      return colour ? painted(places) : places.map(({ glyph }) => glyph).join('');
    });
  }
}

/** Groups neighbours of the same ink. */
function painted(places: readonly Place[]): string {
  let line = '';
  for (let from = 0; from < places.length; ) {
    const { ink } = places[from] as Place;
    let until = from + 1;
    while (places[until]?.ink === ink) until++;
    const text = places.slice(from, until).map(({ glyph }) => glyph);
    line += inked(text.join(''), ink);
    from = until;
  }
  return line;
}

// The destination of a drawing in letters.

export interface Page {
  readonly colour: boolean;
  /** Columns. A drawing that does not fit is as wide as necessary. */
  readonly width: number;
}

// Combines drawings: one below the other, side by side, and wrapped text.

export function stacked(pieces: readonly Canvas[]): Canvas {
  const width = Math.max(0, ...pieces.map((piece) => piece.width));
  const all = new Canvas(
    width,
    pieces.reduce((sum, { height }) => sum + height, 0),
  );
  let line = 0;
  for (const piece of pieces) {
    all.place(0, line, piece);
    line += piece.height;
  }
  return all;
}

/** In rows within the width, with a gap between neighbours and between rows. */
export function tiled(pieces: readonly Canvas[], width: number, gap: number): Canvas {
  const widest = Math.max(...pieces.map((piece) => piece.width));
  const perRow = Math.max(1, Math.floor((width + gap) / (widest + gap)));
  const rows: Canvas[] = [];
  for (let from = 0; from < pieces.length; from += perRow) {
    if (from > 0) rows.push(new Canvas(0, 1));
    rows.push(beside(pieces.slice(from, from + perRow), widest + gap));
  }
  return stacked(rows);
}

function beside(pieces: readonly Canvas[], pitch: number): Canvas {
  const last = pieces.at(-1) as Canvas;
  const row = new Canvas(pitch * (pieces.length - 1) + last.width, Math.max(...pieces.map(({ height }) => height)));
  pieces.forEach((piece, i) => {
    row.place(i * pitch, 0, piece);
  });
  return row;
}

/** A sign and text, which is wrapped with a hanging indent. */
export function signed(sign: string, signInk: Ink, words: string, wordsInk: Ink, width: number): Canvas {
  const indent = sign.length + 2;
  const text = said(words, width - indent, wordsInk);
  const canvas = new Canvas(indent + text.width, text.height);
  canvas.write(0, 0, sign, signInk);
  canvas.place(indent, 0, text);
  return canvas;
}

/** Narrower lines are not useful. */
const narrowest = 8;

export function said(words: string, width: number, ink: Ink): Canvas {
  const lines = wrapped(words, Math.max(narrowest, width));
  const canvas = new Canvas(Math.max(...lines.map(({ length }) => length)), lines.length);
  lines.forEach((line, i) => {
    canvas.write(0, i, line, ink);
  });
  return canvas;
}

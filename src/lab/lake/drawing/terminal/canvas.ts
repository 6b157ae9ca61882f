// A piece of the terminal to draw on: so many columns and rows, each place with one glyph that is one column wide.
import { type Ink, inked, plain } from './ink.ts';

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

  /** What does not fit is left out. Every character of the text takes one column. */
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

  /** Puts another canvas on this one. */
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

/** Neighbours of the same ink in one go. */
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

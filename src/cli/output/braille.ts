// A surface of dots in characters: two columns and four rows of dots in each, so that a curve is smooth in a terminal.

/** The dot in column `x` and row `y` of a character, as a bit. */
const bits = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;

const blank = 0x2800;

export const dotsAcross = 2;
export const dotsDown = 4;

export class Dots {
  readonly #columns: number;
  readonly #cells: Uint8Array;

  /** So many characters. */
  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#cells = new Uint8Array(columns * rows);
  }

  /** Counted from the top left. */
  set(x: number, y: number): void {
    const cell = Math.floor(y / dotsDown) * this.#columns + Math.floor(x / dotsAcross);
    const bit = bits[x % dotsAcross]?.[y % dotsDown] ?? 0;
    this.#cells[cell] = (this.#cells[cell] ?? 0) | bit;
  }

  /** From the top; where there is no dot, a space. */
  lines(): readonly string[] {
    const lines: string[] = [];
    for (let from = 0; from < this.#cells.length; from += this.#columns) {
      const cells = this.#cells.subarray(from, from + this.#columns);
      lines.push(Array.from(cells, (cell) => (cell === 0 ? ' ' : String.fromCharCode(blank + cell))).join(''));
    }
    return lines;
  }
}

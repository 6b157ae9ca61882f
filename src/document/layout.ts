// Aligned columns of text for people. Only on a terminal, where a line that wraps by itself cannot be read, texts are cut and
// columns left out; numbers are never cut, because a part of a number looks like another one.
import { listNames } from '../base/name-lists.ts';
import { displayWidth, padText, truncateText, wrapText } from '../base/terminal.ts';

/** Where text is shown. */
export interface Surface {
  readonly isTTY: boolean;
  /** The width of a terminal; unused elsewhere. */
  readonly columns: number;
}

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Colours the text of a cell, given its row; never changes its width. */
  readonly paint?: (text: string, row: number) => string;
  /** Wraps instead of being cut. For the last column, and without paint. */
  readonly wraps?: true;
  /** Left out before others where there is no room for all. */
  readonly minor?: true;
}

export const columnGap = '  ';

/** Narrower prose is hard to read: a wrapped cell then starts on a new line with this indent. */
const leastRoom = 24;
const indentBelow = 4;

/** Texts are cut down to this; those of the first column, which says whose row it is, less. */
const leastText = { first: 20, other: 12 };

/** A table as text, followed by the columns left out; without a title row if all titles are empty. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], surface: Surface): string {
  const titles = columns.map(({ title }) => title);
  const layout = new Layout(columns, surface);
  const isTitled = titles.some((title) => title !== '');
  layout.widen(isTitled ? [titles, ...rows] : rows);
  const { leftOut } = layout;
  const named = leftOut.filter((title) => title !== '');
  const what = named.length === 0 ? ' all columns' : `: ${listNames(named)}`;
  const note = leftOut.length === 0 ? '' : `No room for${what}.\n`;
  return `${isTitled ? layout.line(titles, null) : ''}${rows.map((row, i) => layout.line(row, i)).join('')}${note}`;
}

/** Lines with common columns: columns get wider with wider cells, and never narrower. */
export class Layout {
  readonly #columns: readonly Column[];
  readonly #widths: number[];
  readonly #surface: Surface;
  /** Computed again when columns get wider. */
  #fitted: readonly (number | null)[] | null = null;

  constructor(columns: readonly Column[], surface: Surface) {
    this.#columns = columns;
    this.#widths = columns.map(() => 0);
    this.#surface = surface;
  }

  widen(rows: readonly (readonly string[])[]): void {
    this.#fitted = null;
    for (const row of rows) {
      row.forEach((cell, i) => {
        this.#widths[i] = Math.max(this.#widths[i] ?? 0, displayWidth(cell));
      });
    }
  }

  /** The titles of the columns for which the terminal is too narrow. */
  get leftOut(): readonly string[] {
    const fitted = this.#fit();
    return this.#columns.filter((_, i) => fitted[i] === null).map(({ title }) => title);
  }

  /** The width of each column on the surface; null: it is left out. */
  #fit(): readonly (number | null)[] {
    this.#fitted ??= this.#surface.isTTY ? this.#fittedInto(this.#surface.columns) : this.#widths;
    return this.#fitted;
  }

  /** Wrapping columns get what is left. */
  #fittedInto(room: number): readonly (number | null)[] {
    const all: (number | null)[] = this.#columns.map((column, i) => (wraps(column) ? 0 : (this.#widths[i] ?? 0)));
    const indices = this.#columns.map((_, i) => i).filter((i) => i > 0 && !wraps(this.#columns[i]));
    const isMinor = (i: number): boolean => this.#columns[i]?.minor === true;
    const leaving = [...indices.filter((i) => !isMinor(i)), ...indices.filter(isMinor)];
    const gone: number[] = [];
    while (leaving.length > 0 && this.#cut(all, room) === null) {
      const last = leaving.pop() as number;
      all[last] = null;
      gone.unshift(last);
    }
    // A narrow column may fit where a wide one before it did not.
    for (const i of gone) {
      const more = all.with(i, this.#widths[i] ?? 0);
      if (this.#cut(more, room) !== null) all[i] = more[i] ?? null;
    }
    return this.#cut(all, room) ?? [Math.min(all[0] ?? 0, room), ...all.slice(1)];
  }

  /** With the texts cut, from the right, as far as necessary; null: there is no room even so. */
  #cut(widths: readonly (number | null)[], room: number): readonly (number | null)[] | null {
    const shown = widths.map((width) => width ?? 0).filter((width) => width > 0);
    let over = shown.reduce((sum, width) => sum + width + columnGap.length, -columnGap.length) - room;
    const cut = [...widths];
    for (let i = widths.length - 1; i >= 0 && over > 0; i--) {
      const width = widths[i] ?? null;
      if (width === null || this.#columns[i]?.align === 'right') continue;
      const spared = Math.min(over, Math.max(0, width - (i === 0 ? leastText.first : leastText.other)));
      cut[i] = width - spared;
      over -= spared;
    }
    return over > 0 ? null : cut;
  }

  /** `number`: the row; null: titles, which have no colours. */
  line(row: readonly string[], number: number | null = 0): string {
    const { isTTY, columns: available } = this.#surface;
    const fitted = this.#fit();
    let room = isTTY ? available : Number.POSITIVE_INFINITY;
    let text = '';
    row.forEach((cell, i) => {
      const column = this.#columns[i];
      if (wraps(column) && isTTY) {
        const least = Math.min(leastRoom, this.#widths[i] ?? 0);
        // Below a line, prose needs no title.
        if (number !== null || room >= least) text = withBelow(text, cell, { columns: available, room, least });
        return;
      }
      const width = fitted[i] ?? 0;
      if (width === 0) return;
      const isLast = i === row.length - 1;
      const fits = truncateText(cell, width);
      const painted = column?.paint !== undefined && number !== null ? column.paint(fits, number) : fits;
      const pad = padText(fits, width, column?.align).length - fits.length;
      const space = ' '.repeat(isLast && column?.align !== 'right' ? 0 : pad);
      text += `${i === 0 ? '' : columnGap}${column?.align === 'right' ? space + painted : painted + space}`;
      room -= width + columnGap.length;
    });
    return `${text.trimEnd()}\n`;
  }
}

function wraps(column: Column | undefined): boolean {
  return column?.wraps === true;
}

interface Space {
  /** Of the terminal. */
  readonly columns: number;
  /** What is left of these. */
  readonly room: number;
  /** With less room, the cell starts on a new line. */
  readonly least: number;
}

/** The line with its last cell. */
function withBelow(line: string, cell: string, { columns, room, least }: Space): string {
  if (cell === '') return line;
  if (room >= least) return `${line}${columnGap}${wrapText(cell, room).join(`\n${' '.repeat(columns - room)}`)}`;
  const indent = `\n${' '.repeat(indentBelow)}`;
  return [line.trimEnd(), ...wrapText(cell, columns - indentBelow)].join(indent);
}

// Aligned columns of text for people. Cells are cut only on a terminal, where a line that wraps by itself cannot be read.
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
}

export const columnGap = '  ';

/** Narrower prose is hard to read: a wrapped cell then starts on a new line with this indent. */
const leastRoom = 24;
const indentBelow = 4;

/** A table as text; without a title row if all titles are empty. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], surface: Surface): string {
  const titles = columns.map(({ title }) => title);
  const layout = new Layout(columns, surface);
  const isTitled = titles.some((title) => title !== '');
  layout.widen(isTitled ? [titles, ...rows] : rows);
  return `${isTitled ? layout.line(titles, null) : ''}${rows.map((row, i) => layout.line(row, i)).join('')}`;
}

/** Lines with common columns: columns get wider with wider cells, and never narrower. */
export class Layout {
  readonly #columns: readonly Column[];
  readonly #widths: number[];
  readonly #surface: Surface;

  constructor(columns: readonly Column[], surface: Surface) {
    this.#columns = columns;
    this.#widths = columns.map(() => 0);
    this.#surface = surface;
  }

  widen(rows: readonly (readonly string[])[]): void {
    for (const row of rows) {
      row.forEach((cell, i) => {
        this.#widths[i] = Math.max(this.#widths[i] ?? 0, displayWidth(cell));
      });
    }
  }

  /** `number`: the row; null: titles, which have no colours. */
  line(row: readonly string[], number: number | null = 0): string {
    const { isTTY, columns: available } = this.#surface;
    let room = isTTY ? available : Number.POSITIVE_INFINITY;
    let text = '';
    row.forEach((cell, i) => {
      const column = this.#columns[i];
      if (column?.wraps === true && isTTY) {
        text = withBelow(text, cell, {
          columns: available,
          room,
          least: Math.min(leastRoom, this.#widths[i] ?? 0),
        });
        return;
      }
      const width = Math.min(this.#widths[i] ?? 0, room);
      if (width <= 0) return;
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

// Aligned columns for people. Cells are cut only on a terminal, where a line that wraps by itself cannot be read.
import type { Sink } from '../io.ts';
import { displayWidth, fitted, padded } from './width.ts';
import { wrapped } from './wrap.ts';

const gap = '  ';

/** In fewer columns nobody reads prose: what wraps then begins on a line of its own, this far indented. */
const leastRoom = 24;
const indentBelow = 4;

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Wraps the text of a cell in colour; never changes its width. */
  readonly paint?: (text: string) => string;
  /** Goes on in lines below instead of being cut. For the last column, and without paint. */
  readonly wraps?: true;
}

/** A table as text; without a title for its columns where all titles are empty. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], sink: Sink): string {
  const titles = columns.map(({ title }) => title);
  const layout = new Layout(columns, sink);
  const shown = titles.every((title) => title === '') ? rows : [titles, ...rows];
  layout.widen(shown);
  return shown.map((row, i) => layout.line(row, shown !== rows && i === 0)).join('');
}

/** Lines with common columns, one after the other: columns widen as wider cells come, and never narrow again. */
export class Layout {
  readonly #columns: readonly Column[];
  readonly #widths: number[];
  readonly #sink: Sink;

  constructor(columns: readonly Column[], sink: Sink) {
    this.#columns = columns;
    this.#widths = columns.map(() => 0);
    this.#sink = sink;
  }

  widen(rows: readonly (readonly string[])[]): void {
    for (const row of rows) {
      row.forEach((cell, i) => {
        this.#widths[i] = Math.max(this.#widths[i] ?? 0, displayWidth(cell));
      });
    }
  }

  line(row: readonly string[], isTitle = false): string {
    let room = this.#sink.isTTY ? this.#sink.columns : Number.POSITIVE_INFINITY;
    let text = '';
    row.forEach((cell, i) => {
      const column = this.#columns[i];
      if (column?.wraps === true && this.#sink.isTTY) {
        text = withBelow(text, cell, {
          columns: this.#sink.columns,
          room,
          least: Math.min(leastRoom, this.#widths[i] ?? 0),
        });
        return;
      }
      const width = Math.min(this.#widths[i] ?? 0, room);
      if (width <= 0) return;
      const isLast = i === row.length - 1;
      const fits = fitted(cell, width);
      const painted = column?.paint !== undefined && !isTitle ? column.paint(fits) : fits;
      const pad = padded(fits, width, column?.align).length - fits.length;
      const space = ' '.repeat(isLast && column?.align !== 'right' ? 0 : pad);
      text += `${i === 0 ? '' : gap}${column?.align === 'right' ? space + painted : painted + space}`;
      room -= width + gap.length;
    });
    return `${text.trimEnd()}\n`;
  }
}

interface Space {
  /** Of the terminal. */
  readonly columns: number;
  /** What is left of these. */
  readonly room: number;
  /** With less, the cell begins on a line of its own. */
  readonly least: number;
}

/** The line with its last cell. */
function withBelow(line: string, cell: string, { columns, room, least }: Space): string {
  if (cell === '') return line;
  if (room >= least) return `${line}${gap}${wrapped(cell, room).join(`\n${' '.repeat(columns - room)}`)}`;
  const indent = `\n${' '.repeat(indentBelow)}`;
  return [line.trimEnd(), ...wrapped(cell, columns - indentBelow)].join(indent);
}

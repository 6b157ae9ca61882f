// Where the text that is typed is seen. A canvas draws it over whenever it changes; a teletype is for terminals that can do
// nothing but print (TERM=dumb: an editor's shell window, a serial line), and prints what is new.
import { stripVTControlCharacters } from 'node:util';
import { displayWidth } from '../../../base/terminal.ts';
import type { Sink } from '../../io.ts';
import { layout, type View } from './layout.ts';

export interface Surface {
  show(view: View): Promise<void>;
  /** Leaves it as it is, whole, and goes on below. */
  settle(view: View, behind?: string): Promise<void>;
  /** Everything that is on the screen goes. */
  clear(): Promise<void>;
  /** The terminal is as it was before. */
  close(): Promise<void>;
}

export interface Screen extends Sink {
  /** Of the terminal, where it knows. */
  readonly rows?: number;
}

type Paint = (prompt: string) => string;

const pasteOn = '\u001b[?2004h';
const pasteOff = '\u001b[?2004l';
const clearDown = '\u001b[J';
const clearAll = '\u001b[H\u001b[2J';
const usualRows = 24;

interface Drawn {
  readonly above: readonly string[];
  /** Of the cursor. */
  readonly column: number;
  /** Of the terminal when it was drawn. */
  readonly columns: number;
}

export class Canvas implements Surface {
  readonly #screen: Screen;
  readonly #paint: Paint;
  /** What was drawn down to the cursor; null while nothing is. */
  #drawn: Drawn | null = null;

  constructor(screen: Screen, paint: Paint) {
    this.#screen = screen;
    this.#paint = paint;
  }

  /** Of a text that is higher than the screen, the part about the cursor: a terminal cannot go back above its top. */
  async show(view: View): Promise<void> {
    const { columns } = this.#screen;
    const { rows, row, column } = layout(view, columns, this.#paint);
    const height = Math.max(1, this.#screen.rows ?? usualRows);
    const top = Math.max(0, Math.min(row - Math.floor(height / 2), rows.length - height));
    const seen = rows.slice(top, top + height);
    const begin = this.#drawn === null ? pasteOn : '';
    await this.#screen.write(
      `${begin}${this.#back()}${seen.join('\r\n')}${up(seen.length - 1 - (row - top))}\r${ahead(column)}`,
    );
    this.#drawn = { above: seen.slice(0, row - top), column, columns };
  }

  async settle(view: View, behind = ''): Promise<void> {
    // With the cursor at its end, a row that is just full would be followed by an empty one.
    const unedited = { ...view, text: { ...view.text, at: 0 } };
    const { rows } = layout(unedited, this.#screen.columns, this.#paint);
    await this.#screen.write(`${this.#back()}${rows.join('\r\n')}${behind}${pasteOff}\r\n`);
    this.#drawn = null;
  }

  async clear(): Promise<void> {
    await this.#screen.write(clearAll);
    this.#drawn = { above: [], column: 0, columns: this.#screen.columns };
  }

  async close(): Promise<void> {
    await this.#screen.write(pasteOff);
  }

  #back(): string {
    const rows = this.#drawn === null ? 0 : rowsAbove(this.#drawn, this.#screen.columns);
    return `${up(rows)}\r${clearDown}`;
  }
}

export class Teletype implements Surface {
  readonly #screen: Screen;
  #shown: View | null = null;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  async show(view: View): Promise<void> {
    const addition = this.#shown === null ? printed(view) : added(this.#shown, view);
    this.#shown = view;
    if (addition !== '') await this.#screen.write(addition);
  }

  async settle(view: View, behind = ''): Promise<void> {
    await this.show(view);
    await this.#screen.write(`${behind}\n`);
    this.#shown = null;
  }

  async clear(): Promise<void> {
    await this.#screen.write('\n');
    this.#shown = null;
  }

  async close(): Promise<void> {}
}

/** What printing makes of one text another: more at its end, or less of its last line; else it is printed anew. */
function added(before: View, after: View): string {
  const [was, is] = [before.text.text, after.text.text];
  const samePrompt = before.prompts[0] === after.prompts[0];
  if (samePrompt && is.startsWith(was)) return printed(after).slice(printed(before).length);
  const gone = was.slice(is.length);
  if (samePrompt && was.startsWith(is) && !gone.includes('\n')) return '\b \b'.repeat(displayWidth(gone));
  return `\n${printed(after)}`;
}

function printed({ text, prompts }: View): string {
  return text.text
    .split('\n')
    .map((line, i) => `${prompts[i] ?? ''}${line}`)
    .join('\n');
}

/** A terminal that is made narrower breaks the rows that do not fit any more. */
function rowsAbove({ above, column, columns }: Drawn, now: number): number {
  if (now >= columns) return above.length;
  const broken = above.map((row) => Math.ceil(displayWidth(stripVTControlCharacters(row)) / now) || 1);
  return broken.reduce((sum, rows) => sum + rows, 0) + Math.floor(column / now);
}

function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : '';
}

function ahead(columns: number): string {
  return columns > 0 ? `\u001b[${columns}C` : '';
}

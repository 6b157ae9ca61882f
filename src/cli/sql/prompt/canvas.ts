// Where the text that is typed is seen. A canvas draws it over whenever it changes; a teletype is for terminals that can do
// nothing but print (TERM=dumb: an editor's shell window, a serial line), and prints what is new.
import type { Sink } from '../../io.ts';
import { displayWidth } from '../../output/width.ts';
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

export class Canvas implements Surface {
  readonly #screen: Screen;
  readonly #paint: Paint;
  /** The row of what is drawn that the cursor is on; null while nothing is drawn. */
  #row: number | null = null;

  constructor(screen: Screen, paint: Paint) {
    this.#screen = screen;
    this.#paint = paint;
  }

  /** Of a text that is higher than the screen, the part about the cursor: a terminal cannot go back above its top. */
  async show(view: View): Promise<void> {
    const { rows, row, column } = layout(view, this.#screen.columns, this.#paint);
    const height = Math.max(1, this.#screen.rows ?? usualRows);
    const top = Math.max(0, Math.min(row - Math.floor(height / 2), rows.length - height));
    const seen = rows.slice(top, top + height);
    const begin = this.#row === null ? pasteOn : '';
    await this.#screen.write(
      `${begin}${this.#back()}${seen.join('\r\n')}${up(seen.length - 1 - (row - top))}\r${ahead(column)}`,
    );
    this.#row = row - top;
  }

  async settle(view: View, behind = ''): Promise<void> {
    const { rows } = layout(view, this.#screen.columns, this.#paint);
    await this.#screen.write(`${this.#back()}${rows.join('\r\n')}${behind}${pasteOff}\r\n`);
    this.#row = null;
  }

  async clear(): Promise<void> {
    await this.#screen.write(clearAll);
    this.#row = 0;
  }

  async close(): Promise<void> {
    await this.#screen.write(pasteOff);
  }

  #back(): string {
    return `${up(this.#row ?? 0)}\r${clearDown}`;
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

function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : '';
}

function ahead(columns: number): string {
  return columns > 0 ? `\u001b[${columns}C` : '';
}

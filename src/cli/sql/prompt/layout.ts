// How a text with prompts before its lines falls on the rows of a screen. Rows are broken here and never by the terminal,
// so that it is known where the cursor is, however long the lines are.
import { displayWidth } from '../../../base/terminal.ts';
import type { Mark } from './statements.ts';
import type { Text } from './text.ts';

export interface Layout {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
}

export const promptText = 'icecore> ';

/** Before each line but the first: as wide, and it says what the line begins within. */
export function continuation(mark: Mark): string {
  return `${mark}> `.padStart(promptText.length);
}

const tabStop = 4;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export interface View {
  readonly text: Text;
  /** One for each line of the text. */
  readonly prompts: readonly string[];
}

export function layout({ text, prompts }: View, columns: number, paint: (prompt: string) => string): Layout {
  const page = new Page(Math.max(columns, 2));
  let cursor = { row: 0, column: 0 };
  let at = 0;
  text.text.split('\n').forEach((line, i) => {
    const prompt = prompts[i] ?? '';
    page.begin(paint(prompt), displayWidth(prompt));
    for (const { segment } of graphemes.segment(line)) {
      if (at === text.at) cursor = page.place();
      page.add(segment);
      at += segment.length;
    }
    if (at === text.at) cursor = page.place();
    at += 1;
  });
  return { rows: page.rows, ...cursor };
}

class Page {
  readonly rows: string[] = [];
  readonly #columns: number;
  #used = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  begin(prompt: string, width: number): void {
    this.rows.push(prompt);
    this.#used = width;
  }

  add(character: string): void {
    const shown = character === '\t' ? ' '.repeat(tabStop - (this.#used % tabStop)) : character;
    const width = displayWidth(shown);
    if (this.#used + width > this.#columns) this.#break();
    this.rows.push(`${this.rows.pop() ?? ''}${shown}`);
    this.#used += width;
  }

  /** Where the next character comes: behind a full row, that is the next one. */
  place(): { row: number; column: number } {
    if (this.#used >= this.#columns) this.#break();
    return { row: this.rows.length - 1, column: this.#used };
  }

  #break(): void {
    this.rows.push('');
    this.#used = 0;
  }
}

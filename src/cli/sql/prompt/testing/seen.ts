// A terminal for tests: what somebody sees of what was written, with no more of its language than the prompt speaks.
import { displayWidth } from '../../../../base/terminal.ts';

const pieces = new RegExp(`${String.fromCharCode(27)}\\[([?\\d]*)([A-Za-z])|[\\r\\n\\b]|\\P{Cc}+`, 'gu');

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export class Seen {
  readonly #lines: string[][] = [[]];
  readonly #columns: number;
  readonly #rows: number;
  #row = 0;
  #column = 0;

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#rows = rows;
  }

  /** Everything from the beginning, without blanks at the ends; `|` is the cursor. */
  get text(): string {
    const lines = this.#lines.map((cells, row) => {
      if (row !== this.#row) return cells.join('').trimEnd();
      const full = Array.from({ length: Math.max(cells.length, this.#column) }, (_, i) => cells[i] ?? ' ');
      return [...full.slice(0, this.#column), '|', ...full.slice(this.#column)].join('').trimEnd();
    });
    return lines.join('\n').trimEnd();
  }

  write(text: string): void {
    for (const [said, argument = '', command] of text.matchAll(pieces)) {
      if (command !== undefined) this.#steer(command, Number(argument.replace('?', '') || 1), argument);
      else if (said === '\r') this.#column = 0;
      else if (said === '\n') this.#down();
      else if (said === '\b') this.#column = Math.max(0, this.#column - 1);
      else for (const { segment } of graphemes.segment(said)) this.#put(segment);
    }
  }

  #steer(command: string, times: number, argument: string): void {
    if (command === 'A') this.#row = Math.max(this.#top, this.#row - times);
    if (command === 'C') this.#column = Math.min(this.#columns - 1, this.#column + times);
    if (command === 'D') this.#column = Math.max(0, this.#column - times);
    if (command === 'G') this.#column = times - 1;
    if (command === 'H') [this.#row, this.#column] = [this.#top, 0];
    if (command !== 'J') return;
    if (argument !== '2') this.#lines[this.#row]?.splice(this.#column);
    this.#lines.splice(argument === '2' ? this.#top : this.#row + 1);
    while (this.#lines.length <= this.#row) this.#lines.push([]);
  }

  /** A line break goes to the start of the next line, as a terminal's driver makes it. */
  #down(): void {
    this.#row += 1;
    this.#column = 0;
    if (this.#row === this.#lines.length) this.#lines.push([]);
  }

  #put(character: string): void {
    const width = displayWidth(character);
    if (this.#column + width > this.#columns) this.#down();
    const line = this.#lines[this.#row] ?? [];
    while (line.length < this.#column) line.push(' ');
    line.splice(this.#column, width, character, ...Array.from({ length: width - 1 }, () => ''));
    this.#column += width;
  }

  get #top(): number {
    return Math.max(0, this.#lines.length - this.#rows);
  }
}

// A few lines on a terminal that are redrawn during work and erased at its end.

import type { Sink } from '../../base/sink.ts';
import { truncateText } from '../../base/terminal.ts';
import type { Io } from '../io.ts';

const eraseLine = '\u001b[K';
const eraseBelow = '\u001b[J';

export class Live {
  readonly #sink: Sink;
  #lines = 0;

  constructor({ stderr }: Pick<Io, 'stderr'>) {
    this.#sink = stderr;
  }

  /** Lines without colours are cut at the width of the terminal, so that none wraps. */
  async show(lines: readonly string[]): Promise<void> {
    const text = lines.map((line) => `${this.#cut(line)}${eraseLine}\n`).join('');
    const back = this.#back();
    this.#lines = lines.length;
    await this.#sink.write(`${back}${text}${eraseBelow}`);
  }

  async end(): Promise<void> {
    if (this.#lines === 0) return;
    const back = this.#back();
    this.#lines = 0;
    await this.#sink.write(`${back}${eraseBelow}`);
  }

  #back(): string {
    return this.#lines === 0 ? '' : `\u001b[${this.#lines}A\r`;
  }

  #cut(line: string): string {
    return line.includes('\u001b') ? line : truncateText(line, this.#sink.columns - 1);
  }
}

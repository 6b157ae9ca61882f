// The end of what a program says on its standard error: enough to understand what happened, never much.

const longestLine = 500;

export class LastWords {
  readonly #most: number;
  #lines: string[] = [];
  #begun = '';

  /** `most` is how many lines are kept. */
  constructor(most = 20) {
    this.#most = most;
  }

  hear(text: string): void {
    const lines = (this.#begun + text).split('\n');
    this.#begun = written(lines.pop() ?? '').slice(0, longestLine);
    this.#keep(lines.flatMap(shown));
  }

  /** A line by itself, from elsewhere. */
  add(line: string): void {
    this.#keep(shown(line));
  }

  lines(): readonly string[] {
    return [...this.#lines, ...shown(this.#begun)].slice(-this.#most);
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) this.#lines.push(line);
    if (this.#lines.length > 2 * this.#most) this.#lines = this.#lines.slice(-this.#most);
  }
}

/** Without colours, bells, and what was written over: of a progress bar, the last of its states. */
function shown(line: string): string[] {
  const text = written(line.replace(/\r+$/, ''))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken away
    .replace(/\u001b\[[0-9;]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
    .trimEnd();
  return text === '' ? [] : [text.slice(0, longestLine)];
}

/** What stands there once all is written: a carriage return begins the line anew. */
function written(line: string): string {
  return line.slice(line.slice(0, -1).lastIndexOf('\r') + 1);
}

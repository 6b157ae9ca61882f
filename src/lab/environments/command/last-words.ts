// The end of what a program says on its standard error: enough to understand what happened, never much.

const mostLines = 20;
const longestLine = 500;

export class LastWords {
  #lines: string[] = [];
  #begun = '';

  hear(text: string): void {
    const lines = (this.#begun + text).split('\n');
    this.#begun = (lines.pop() ?? '').slice(0, longestLine);
    this.#lines = [...this.#lines, ...lines.flatMap(shown)].slice(-mostLines);
  }

  lines(): readonly string[] {
    return [...this.#lines, ...shown(this.#begun)].slice(-mostLines);
  }
}

/** Without colours, bells and carriage returns. */
function shown(line: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken away
  const text = line.replace(/\u001b\[[0-9;]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]/g, '').trimEnd();
  return text === '' ? [] : [text.slice(0, longestLine)];
}

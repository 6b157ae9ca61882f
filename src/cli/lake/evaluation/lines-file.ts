// A file that lines are written to as they come, many at a time.
import { closeSync, openSync, writeSync } from 'node:fs';
import { jsonText } from '../../output/json.ts';

const flushAfter = 65_536;

export class LinesFile {
  readonly #file: number;
  #waiting: string[] = [];
  #characters = 0;

  /** What was there before is written over. */
  constructor(path: string) {
    this.#file = openSync(path, 'w');
  }

  add(value: unknown): void {
    const line = `${jsonText(value)}\n`;
    this.#waiting.push(line);
    this.#characters += line.length;
    if (this.#characters >= flushAfter) this.#flush();
  }

  close(): void {
    this.#flush();
    closeSync(this.#file);
  }

  #flush(): void {
    writeSync(this.#file, this.#waiting.join(''));
    this.#waiting = [];
    this.#characters = 0;
  }
}

// Events as lines in folders of their own for each run and stage. What waits to be written is kept until it is much, and
// then all of it is written: so no file need stay open, however many there are.
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type StoredEvent, skimBody } from '../../../ledger/stored.ts';
import { partitionName } from '../folder.ts';

const keptCharacters = 16 * 1024 * 1024;

export class LinesByStage {
  readonly #folder: string;
  readonly #names: ReadonlyMap<string, string>;
  readonly #line: (event: StoredEvent) => string;
  readonly #rows = new Map<string, number>();
  readonly #waiting = new Map<string, string[]>();
  #kept = 0;

  /** `names` are those of runs, by identity. */
  constructor(folder: string, names: ReadonlyMap<string, string>, line: (event: StoredEvent) => string) {
    this.#folder = folder;
    this.#names = names;
    this.#line = line;
  }

  async add(events: readonly StoredEvent[]): Promise<void> {
    for (const event of events) {
      const path = this.#pathOf(event);
      const line = `${this.#line(event)}\n`;
      const waiting = this.#waiting.get(path);
      if (waiting === undefined) this.#waiting.set(path, [line]);
      else waiting.push(line);
      this.#rows.set(path, (this.#rows.get(path) ?? 0) + 1);
      this.#kept += line.length;
      if (this.#kept >= keptCharacters) await this.#flush();
    }
  }

  /** The files, and how many events are in each. */
  async end(): Promise<ReadonlyMap<string, number>> {
    await this.#flush();
    return this.#rows;
  }

  #pathOf({ body }: StoredEvent): string {
    const { run = null, stage = null } = skimBody(body) ?? {};
    const name = run === null ? null : (this.#names.get(run) ?? run);
    const parts = [partitionName('run', name), partitionName('stage', stage === null ? null : String(stage))];
    return `events/${parts.join('/')}/events.ndjson`;
  }

  async #flush(): Promise<void> {
    for (const [path, lines] of this.#waiting) {
      const whole = join(this.#folder, path);
      await mkdir(dirname(whole), { recursive: true });
      await appendFile(whole, lines.join(''));
    }
    this.#waiting.clear();
    this.#kept = 0;
  }
}

// What makes a change of names survive a power failure: fsync of the folder that holds the name. One fsync serves all who
// wait for it; ext4 and its like make all of a round durable with the first.
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { syncFolder } from '../../base/write-whole.ts';
import { translate } from './faults.ts';

/** Makes a folder with what is missing above it, durably. */
export async function makeFolder(path: string): Promise<void> {
  const last = resolve(path);
  const first = (await mkdir(last, { recursive: true })) ?? last;
  for (let made = last; made !== dirname(made); made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === resolve(first)) return;
  }
}

export class FolderSyncs {
  #waiting = new Set<string>();
  #next: Promise<Map<string, unknown>> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** When it resolves, all that was done in the folder before the call is durable. */
  async sync(folder: string): Promise<void> {
    this.#waiting.add(folder);
    this.#next ??= this.#begin();
    const failures = await this.#next;
    if (failures.has(folder)) throw translate(failures.get(folder), folder);
  }

  /** The next round begins when the last is over: until then folders gather. */
  #begin(): Promise<Map<string, unknown>> {
    const round = this.#last.then(() => this.#round());
    this.#last = round;
    return round;
  }

  async #round(): Promise<Map<string, unknown>> {
    const folders = [...this.#waiting];
    this.#waiting = new Set();
    this.#next = null;
    const failures = new Map<string, unknown>();
    await Promise.all(folders.map((folder) => syncFolder(folder).catch((error) => failures.set(folder, error))));
    return failures;
  }
}

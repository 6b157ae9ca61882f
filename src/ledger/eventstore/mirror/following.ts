// Knowing when another process has committed. SQLite's data_version is the truth and cheap to ask; a watch on the folder
// only says when to ask sooner, since the log grows a moment before its commit can be seen.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Identity, requireSameFile } from '../../sqlite/connection.ts';

/** After a hint the questions come fast and then slower, up to this. */
const slowestMs = 100;

export class Following {
  readonly #watcher: FSWatcher | null;
  readonly #dataVersion: () => number;
  readonly #signal: AbortSignal;
  readonly #identity: Identity;
  readonly #stop = (): void => this.#wake?.();
  #seen: number;
  #pause = 1;
  #wake: (() => void) | null = null;

  constructor(identity: Identity, dataVersion: () => number, signal: AbortSignal) {
    this.#dataVersion = dataVersion;
    this.#signal = signal;
    this.#seen = dataVersion();
    this.#identity = identity;
    this.#watcher = watchFolder(identity.path, () => this.#hint());
    signal.addEventListener('abort', this.#stop, { once: true });
  }

  /** Resolves once something was committed since the last look, or the signal aborts. */
  async changed(): Promise<void> {
    while (!this.#signal.aborted) {
      const version = this.#dataVersion();
      if (version !== this.#seen) {
        this.#seen = version;
        this.#pause = 1;
        return;
      }
      requireSameFile(this.#identity);
      await this.#rest();
    }
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#stop);
    this.#watcher?.close();
    this.#wake?.();
  }

  #hint(): void {
    this.#pause = 1;
    this.#wake?.();
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#wake = null;
        resolve();
      };
      const timer = setTimeout(done, this.#pause);
      this.#pause = Math.min(this.#pause * 2, slowestMs);
      this.#wake = done;
    });
  }
}

/** Null where the system has no watches left: asking every so often is enough. */
function watchFolder(path: string, hint: () => void): FSWatcher | null {
  const log = `${basename(path)}-wal`;
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_, name) => {
      if (name === null || name === log) hint();
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}

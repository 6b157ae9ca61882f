// The notes of a verification under way, in a file beside the ledger, so that one that is stopped or killed can be taken
// up. They are written now and then, whole, and taken away when it is done.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { LedgerHead } from '../../../schemas/head.ts';
import type { Interrupted } from '../../ledger/verify/verify.ts';

const betweenNotesMs = 2000;

export class Notebook {
  readonly #path: string;
  readonly #now: () => number;
  #notedAt: number;
  #last: (() => Interrupted) | null = null;

  constructor(path: string, now: () => number = () => performance.now()) {
    this.#path = path;
    this.#now = now;
    this.#notedAt = now();
  }

  /** Throws NothingToResume. */
  read(head: LedgerHead | null): Interrupted {
    let state: Interrupted;
    try {
      state = JSON.parse(readFileSync(this.#path, 'utf8')) as Interrupted;
    } catch {
      throw new NothingToResume(`there is no verification to go on with: ${this.#path} cannot be read`);
    }
    if (state.head === (head?.root ?? null)) return state;
    throw new NothingToResume('the verification that was stopped was held against another head, or none');
  }

  note(state: () => Interrupted): void {
    this.#last = state;
    if (this.#now() - this.#notedAt < betweenNotesMs) return;
    this.#notedAt = this.#now();
    this.keep();
  }

  /** False where there is nothing to keep, or no room for it: verifying needs no right to write. */
  keep(): boolean {
    if (this.#last === null) return false;
    try {
      writeFileSync(`${this.#path}.new`, JSON.stringify(this.#last()));
      renameSync(`${this.#path}.new`, this.#path);
      return true;
    } catch {
      return false;
    }
  }

  discard(): void {
    try {
      rmSync(this.#path, { force: true });
    } catch {
      // Where nothing can be written, nothing was.
    }
  }
}

export class NothingToResume extends IcecoreError {
  override readonly name = 'NothingToResume';

  constructor(what: string) {
    super('not-found', what, { remedy: 'Begin anew: icecore verify, without --resume.' });
  }
}

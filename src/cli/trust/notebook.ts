// The notes of a verification under way, in a file beside the ledger, so that one that is stopped or killed can be taken
// up. They are written now and then, whole, and taken away when it is done.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { makeFolder } from '../../ledger/folders.ts';
import type { Interrupted } from '../../ledger/verify/verify.ts';
import { notesForm } from './notes.ts';

const betweenNotesMs = 2000;

/** Of a verification of a large ledger. */
const mostNotesBytes = 256 * 2 ** 20;

export class Notebook {
  readonly #path: string;
  readonly #signal: AbortSignal;
  readonly #now: () => number;
  #notedAt: number;
  #isKept = false;
  /** As it is now, however long ago it was handed in. */
  #last: (() => Interrupted) | null = null;

  constructor(path: string, signal: AbortSignal, now: () => number = () => performance.now()) {
    this.#path = path;
    this.#signal = signal;
    this.#now = now;
    this.#notedAt = now();
  }

  /** What was noted of a verification of this ledger, held against the head of this root. Throws NothingToResume. */
  read({ ledger, head }: Pick<Interrupted, 'ledger' | 'head'>): Interrupted {
    const state = this.#parse();
    if (state.ledger !== ledger)
      throw new NothingToResume(`the notes in ${this.#path} are of ledger ${state.ledger}, this is ${ledger}`);
    if (state.head === head) return state;
    throw new NothingToResume('the verification that was stopped was held against another head, or none');
  }

  #parse(): Interrupted {
    let found: unknown;
    try {
      found = parseJson(readRegularFile(this.#path, mostNotesBytes).toString('utf8'));
    } catch {
      throw new NothingToResume(`there is no verification to go on with: ${this.#path} cannot be read`);
    }
    const { success, data } = notesForm.safeParse(found);
    if (success) return data;
    throw new NothingToResume(`what stands in ${this.#path} are not the notes of a verification`);
  }

  /**
   * Called where a verification could be taken up. The state is built only when it is written: when some time has gone by,
   * and when the verification is being stopped, as it may have gone on by half a piece when that is noticed elsewhere.
   */
  note(state: () => Interrupted): void {
    this.#last = state;
    if (this.#signal.aborted || this.#now() - this.#notedAt >= betweenNotesMs) this.keep();
  }

  /** Writes how far it has come, where it goes no further. */
  keep(): void {
    const state = this.#last;
    if (state === null) return;
    this.#notedAt = this.#now();
    const text = JSON.stringify(state());
    try {
      makeFolder(dirname(this.#path));
      // Whatever stands there, a link perhaps, is replaced and never written through.
      rmSync(`${this.#path}.new`, { force: true });
      writeFileSync(`${this.#path}.new`, text, { flag: 'wx' });
      renameSync(`${this.#path}.new`, this.#path);
      this.#isKept = true;
    } catch {
      // Without room for it, or the right to write, it can be verified all the same, but not be taken up.
    }
  }

  /** Whether there is something to go on with. */
  get isKept(): boolean {
    return this.#isKept;
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

// The notes of a stopped verification, and heads that users keep in files. Anybody may have written these files, so another form
// is refused.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { IcecoreError } from '../../../schemas/errors.ts';
import { findingKinds } from '../../../schemas/finding-kinds.ts';
import { head as headSchema, type LedgerHead } from '../../../schemas/head.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { count, digest } from '../../../schemas/primitives.ts';
import { makeFolder } from '../../base/folders.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { fingerprint, isSignatureGood, rawKey, readPublicKey } from '../../ledger/seal/head.ts';
import type { Interrupted } from '../../ledger/verify/verify.ts';

/** Two to this power is more than any number of events that can be counted. */
const mostLevels = 53;

const span = z.object({
  from: z.literal(0),
  subtrees: z.array(z.tuple([z.int().min(0).max(mostLevels), digest]).readonly()),
});

const finding = z.object({
  kind: z.enum(findingKinds),
  where: z.string(),
  event: z.string().nullable(),
  says: z.string(),
});

const counts = z.array(z.tuple([z.string(), count]).readonly());

const notesForm: z.ZodType<Interrupted> = z.object({
  ledger: z.string(),
  head: digest.nullable(),
  after: z.string(),
  account: z.object({
    tally: z.object({ events: count, bytes: count, blobs: count, opaque: count }),
    findings: z.object({ kept: z.array(finding), total: count, faults: count }),
    leaves: span,
    growing: z.array(z.tuple([z.string(), span]).readonly()),
    proven: z.array(z.string()),
    afterSeal: counts,
    unsealed: counts,
  }),
});

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
    throw new NothingToResume('the verification that was stopped was compared with another head, or with none');
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

class NothingToResume extends IcecoreError {
  override readonly name = 'NothingToResume';

  constructor(what: string) {
    super('not-found', what, { remedy: 'Begin anew: icecore verify, without --resume.' });
  }
}

export interface KeptHead {
  readonly head: LedgerHead;
  /** The fingerprint of the key that signed it; null where none did. */
  readonly signedBy: string | null;
  /** Whether that is the key that had to. */
  readonly isTrusted: boolean;
}

/** What a file says, and how it is called in messages. */
export interface GivenText {
  readonly text: string;
  readonly name?: string;
}

/** A head as JSON, and the public key (PEM) that must have signed it. */
export interface GivenHead extends GivenText {
  readonly key?: GivenText | undefined;
}

/** Throws NoHead and ForgedHead. */
export function keptHead({ text, name = 'the head', key: given }: GivenHead): KeptHead {
  const head = parse(text, name);
  const { signature } = head;
  if (signature !== undefined && !isSignatureGood(head))
    throw new ForgedHead(name, 'its signature is not of these words');
  const keyName = given?.name ?? 'the key';
  const key = given === undefined ? null : rawKey(readPublicKey(given.text, keyName));
  if (key !== null && signature?.publicKey !== key) {
    const by = signature === undefined ? 'nobody signed it' : `${fingerprint(signature.publicKey)} signed it`;
    throw new ForgedHead(name, `${by}, not ${keyName} (${fingerprint(key)})`);
  }
  return {
    head,
    signedBy: signature === undefined ? null : fingerprint(signature.publicKey),
    isTrusted: key !== null,
  };
}

function parse(json: string, file: string): LedgerHead {
  let found: unknown;
  try {
    found = parseJson(json);
  } catch {
    throw new NoHead(file, 'it is not JSON');
  }
  const { success, data, error } = headSchema.safeParse(found);
  if (success) return data;
  const { path, message } = error.issues[0] ?? { path: [], message: 'it has another form' };
  throw new NoHead(file, `${path.join('.')}: ${message}`);
}

class NoHead extends IcecoreError {
  override readonly name = 'NoHead';

  constructor(file: string, what: string) {
    super('bad-input', `${file} is not a head: ${what}`, {
      facts: { file, what },
      remedy: 'Give a file as icecore ledger head printed it.',
    });
  }
}

class ForgedHead extends IcecoreError {
  override readonly name = 'ForgedHead';

  constructor(file: string, what: string) {
    super('damaged', `${file} cannot be trusted: ${what}`, {
      facts: { file, what },
      remedy: 'Use a head from a place you trust, and the public key that belongs to it.',
    });
  }
}

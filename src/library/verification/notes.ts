// The saved state of a stopped verification, and heads that users keep in files. Others may have written these files, so their form
// is checked strictly, and a state counts only if this user's own settings say that icecore saved it.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { IcecoreError } from '../../../schemas/errors.ts';
import { findingKinds } from '../../../schemas/finding-kinds.ts';
import { head as headSchema, type LedgerHead } from '../../../schemas/head.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { count, digest } from '../../../schemas/primitives.ts';
import { makeFolder } from '../../base/folders.ts';
import { realPathOf } from '../../base/real-path.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { UserRecords } from '../../base/user-settings.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { fingerprint, isSignatureGood, rawKey, readPublicKey } from '../../ledger/seal/head.ts';
import type { Interrupted } from '../../ledger/verify/verify.ts';

/** Two to this power exceeds any number of events. */
const maxLevels = 53;

const span = z.object({
  from: z.literal(0),
  subtrees: z.array(z.tuple([z.int().min(0).max(maxLevels), digest]).readonly()),
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

/** For a verification of a large ledger. */
const maxNotesBytes = 256 * 2 ** 20;

interface NotebookOptions {
  /** The environment variables that determine the location of the user's settings. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly now?: () => number;
}

/**
 * The notes are next to the ledger, where whoever can alter events can also write notes that call them checked. So their digest is
 * recorded in the user's own settings, and other notes are refused.
 */
export class Notebook {
  readonly #path: string;
  readonly #records: UserRecords;
  readonly #signal: AbortSignal;
  readonly #now: () => number;
  #notedAt: number;
  #isKept = false;
  /** The current value, not the one at construction. */
  #last: (() => Interrupted) | null = null;

  constructor(path: string, { env, signal, now = () => performance.now() }: NotebookOptions) {
    this.#path = path;
    this.#records = new UserRecords('verifications', env);
    this.#signal = signal;
    this.#now = now;
    this.#notedAt = now();
  }

  /** The saved state of a verification of this ledger against the head with this root. Throws NothingToResume. */
  read({ ledger, head }: Pick<Interrupted, 'ledger' | 'head'>): Interrupted {
    const state = this.#parse();
    if (state.ledger !== ledger)
      throw new NothingToResume(`the notes in ${this.#path} belong to ledger ${state.ledger}, not to ${ledger}`);
    if (state.head === head) return state;
    throw new NothingToResume('the stopped verification used another head, or none');
  }

  #parse(): Interrupted {
    let text: string;
    let found: unknown;
    try {
      text = readRegularFile(this.#path, maxNotesBytes).toString('utf8');
      found = parseJson(text);
    } catch {
      throw new NothingToResume(`there is no stopped verification to resume: ${this.#path} cannot be read`);
    }
    const { success, data } = notesForm.safeParse(found);
    if (!success) throw new NothingToResume(`${this.#path} does not contain the notes of a verification`);
    if (!this.#isOwn(text))
      throw new NothingToResume(
        `${this.#path} is not what a verification of yours saved there: it was changed, or comes from elsewhere`,
      );
    return data;
  }

  #isOwn(text: string): boolean {
    const record = this.#records.read(this.#key);
    return typeof record === 'object' && record !== null && 'sha256' in record && record.sha256 === sha256(text);
  }

  get #key(): string {
    return realPathOf(this.#path);
  }

  /**
   * Called at points from which a verification can resume. The state is built only when it is written: after some time, and when
   * the verification is being stopped, because other parts may be in the middle of a piece when they notice the stop.
   */
  note(state: () => Interrupted): void {
    this.#last = state;
    if (this.#signal.aborted || this.#now() - this.#notedAt >= betweenNotesMs) this.keep();
  }

  /** Saves the progress at the point where it stops. */
  keep(): void {
    const state = this.#last;
    if (state === null) return;
    this.#notedAt = this.#now();
    const text = JSON.stringify(state());
    try {
      makeFolder(dirname(this.#path));
      // Existing files and links are replaced and never written through.
      rmSync(`${this.#path}.new`, { force: true });
      writeFileSync(`${this.#path}.new`, text, { flag: 'wx' });
      renameSync(`${this.#path}.new`, this.#path);
      this.#records.write(this.#key, { path: this.#key, sha256: sha256(text) });
      this.#isKept = true;
    } catch {
      // Without space or permission, also in the user's settings, verification still works, but cannot be resumed.
    }
  }

  /** Whether there is something to resume. */
  get isKept(): boolean {
    return this.#isKept;
  }

  discard(): void {
    try {
      this.#records.remove(this.#key);
      rmSync(this.#path, { force: true });
    } catch {
      // If nothing could be written, there is nothing to delete.
    }
  }
}

class NothingToResume extends IcecoreError {
  override readonly name = 'NothingToResume';

  constructor(what: string) {
    super('not-found', what, { remedy: 'Start again: icecore verify, without --resume.' });
  }
}

export interface KeptHead {
  readonly head: LedgerHead;
  /** The fingerprint of the key that signed it; null if it is unsigned. */
  readonly signedBy: string | null;
  /** Whether it was signed with the required key. */
  readonly isTrusted: boolean;
}

/** The content of a file, and its name in messages. */
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
    throw new ForgedHead(name, 'its signature does not match its content');
  const keyName = given?.name ?? 'the key';
  const key = given === undefined ? null : rawKey(readPublicKey(given.text, keyName));
  if (key !== null && signature?.publicKey !== key) {
    const by = signature === undefined ? 'it is not signed' : `${fingerprint(signature.publicKey)} signed it`;
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
      remedy: 'Use a file printed by icecore ledger head.',
    });
  }
}

class ForgedHead extends IcecoreError {
  override readonly name = 'ForgedHead';

  constructor(file: string, what: string) {
    super('damaged', `${file} cannot be trusted: ${what}`, {
      facts: { file, what },
      remedy: 'Use a head from a trusted source, and its public key.',
    });
  }
}

// The errors of ledgers, with their facts.
import { describeIssue, IcecoreError, type Issue } from '../../schemas/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import type { Cursor, Expectation } from './event.ts';

/** An unavailable store reveals nothing about its content, so callers wait for it or try again later. */
export function isAway(error: unknown): error is IcecoreError {
  return error instanceof IcecoreError && error.kind === 'unavailable';
}

/** The stream does not end where the writer expected, so nothing was appended. */
export class WrongRevision extends IcecoreError {
  override readonly name = 'WrongRevision';
  readonly stream: string;
  readonly expected: Expectation;
  /** The stream's last revision; -1: it does not exist. */
  readonly actual: number;

  constructor(stream: string, expected: Expectation, actual: number) {
    const there = actual < 0 ? 'it does not exist' : `its last revision is ${actual}`;
    super('conflict', `stream ${stream}: expected ${describeExpectation(expected)}, but ${there}`, {
      facts: { stream, expected, actual },
      remedy: 'Read the stream again from the revision you knew, decide again, and append with the revision found.',
    });
    this.stream = stream;
    this.expected = expected;
    this.actual = actual;
  }
}

function describeExpectation(expected: Expectation): string {
  if (expected === 'none') return 'no such stream';
  if (expected === 'exists') return 'an existing stream';
  return expected === 'any' ? 'anything' : `last revision ${expected}`;
}

/** The id is already taken by an event with other content. */
export class DuplicateId extends IcecoreError {
  override readonly name = 'DuplicateId';
  readonly id: string;

  constructor(
    id: string,
    stored: { stream: string; revision: number },
    differs: readonly string[],
    remedy = 'Give the event a new id, or send exactly the stored content, which counts as already there.',
  ) {
    const taken = `is already taken by ${stored.stream}@${stored.revision}`;
    super('conflict', `id ${id} ${taken}, which differs in ${differs.join(', ')}`, {
      facts: { id, stored, differs },
      remedy,
    });
    this.id = id;
  }
}

/** The number of invalid events that a message lists. */
const shownIssues = 10;

/** Events that violate the catalogue. `issues[i].index` is the index of the event in the append. */
export class InvalidEvents extends IcecoreError {
  override readonly name = 'InvalidEvents';
  declare readonly issues: readonly (Issue & { readonly index: number })[];

  constructor(issues: readonly (Issue & { readonly index: number })[]) {
    const first = issues[0];
    const text = first === undefined ? 'invalid events' : `event ${first.index + 1}: ${describeIssue(first)}`;
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
    super('bad-input', `${text}${more}`, { facts: { issues: issues.slice(0, shownIssues), of: issues.length } });
    Object.defineProperty(this, 'issues', { value: issues });
  }
}

/** A copy and its original have diverged: they hold different events at one place of a stream. */
export class Diverged extends IcecoreError {
  override readonly name = 'Diverged';
  readonly stream: string;
  readonly revision: number;
  /** The digest of the existing event. */
  readonly found: string;

  constructor(stream: string, revision: number, wanted: string, found: string) {
    const differs = `${found.slice(0, 12)}… instead of ${wanted.slice(0, 12)}…`;
    super('conflict', `${stream}@${revision} is another event here: ${differs}`, {
      facts: { stream, revision, wanted, found },
      remedy: 'The two ledgers have diverged. Nothing was overwritten; copy to a new place.',
    });
    this.stream = stream;
    this.revision = revision;
    this.found = found;
  }
}

/** An event has more bytes than the store accepts; long texts belong in blobs. */
export class EventTooLarge extends IcecoreError {
  override readonly name = 'EventTooLarge';

  constructor(id: string, bytes: number, limit: number, index: number) {
    super('bad-input', `event ${index + 1} (${id}) has ${bytes} bytes, at most ${limit} are allowed`, {
      facts: { id, bytes, limit, index },
      remedy: 'Keep long prompts, completions and transcripts as blobs and name the blob in the event.',
    });
  }
}

/** The store cannot do what was requested; `capabilities` describes what each ledger can do. */
export function unsupportedByStore(url: string, what: string): IcecoreError {
  return new IcecoreError('unsupported', `${url} cannot ${what}`, { name: 'UnsupportedByStore', facts: { url, what } });
}

/** The cursor was not issued by this ledger, or points past its end. */
export class BadCursor extends IcecoreError {
  override readonly name = 'BadCursor';

  constructor(cursor: Cursor, url: string, why: string) {
    super('bad-input', `cursor "${cursor}" does not fit ${url}: ${why}`, {
      facts: { cursor, url },
      remedy: 'Use a cursor of this ledger: `icecore event tail --json` prints one with every event.',
    });
  }
}

/** The ledger was used after `close`, or closed during a call. */
export class LedgerClosed extends IcecoreError {
  override readonly name = 'LedgerClosed';

  constructor(url: string) {
    super('internal', `${url} was closed`, { facts: { url } });
  }
}

/** There is no ledger at the URL, and opening was not allowed to create one. */
export class LedgerMissing extends IcecoreError {
  override readonly name = 'LedgerMissing';

  constructor(url: string, remedy = `Create one with \`icecore init --ledger ${shellWord(url)}\`.`) {
    super('not-found', `there is no ledger at ${url}`, { facts: { url }, remedy });
  }
}

/** The file at the path is something other than an icecore ledger; it was not changed. */
export class NotALedger extends IcecoreError {
  override readonly name = 'NotALedger';

  constructor(path: string, found: string) {
    super('damaged', `${path} is not an icecore ledger: ${found}`, {
      facts: { path, found },
      remedy: 'Nothing was changed. Move the file away or name another place with --ledger.',
    });
  }
}

/** The file contains something that SQLite would execute: a trigger, a view, a computed column. */
export function foreignLayout(path: string, found: string): IcecoreError {
  return new IcecoreError('damaged', `${path} is not laid out as a ledger: ${found}`, {
    name: 'ForeignLayout',
    facts: { path, found },
    remedy:
      'Nothing was changed. Restore a backup, or copy the readable part with `icecore ledger copy` and write to the copy.',
  });
}

/** A file next to the ledger would make SQLite change it. */
export function foreignJournal(path: string, journal: string): IcecoreError {
  return new IcecoreError(
    'damaged',
    `${path} would be changed by the next writer, because there is a rollback journal: ${journal}`,
    {
      name: 'ForeignJournal',
      facts: { path, journal },
      remedy:
        'Nothing was changed. icecore does not create such journals. If another SQLite tool is writing to the file, let it finish; ' +
        'otherwise restore a backup, or move the journal away and run `icecore verify`.',
    },
  );
}

/** The ledger was written by a newer icecore in a format that this one does not understand. */
export function newerLedger(path: string, found: number, understood: number): IcecoreError {
  return new IcecoreError('newer-format', `${path} has format ${found}; this icecore understands up to ${understood}`, {
    name: 'NewerLedger',
    facts: { path, found, understood },
    remedy: 'Nothing was changed. Use the newer icecore that wrote it.',
  });
}

/** SQLite reports that the ledger's file is corrupt, or returns values that icecore never writes. */
export function damagedLedger(path: string, detail: string, cause?: unknown): IcecoreError {
  return new IcecoreError('damaged', `${path} is damaged: ${detail}`, {
    name: 'DamagedLedger',
    facts: { path, detail },
    cause,
    remedy: 'Stop writing, keep a copy of the file with its -wal, and run `icecore doctor`.',
  });
}

/** Other writers held the lock on the SQLite file for longer than icecore waits. */
export function ledgerBusy(path: string, seconds: number): IcecoreError {
  return new IcecoreError('unavailable', `${path}: other writers held the ledger for ${seconds} s without a gap`, {
    name: 'LedgerBusy',
    facts: { path, seconds },
    remedy: 'Check which other programs write to it, and run the same command again: events are not stored twice.',
  });
}

/** In Kafka an attempt has one writer in one session: after a rejected send it is unknown which events are stored. */
export class AttemptBroken extends IcecoreError {
  override readonly name = 'AttemptBroken';
  /** How long it is worth retrying with new attempts: the patience of the store. */
  readonly patienceSeconds: number;

  constructor(stream: string, why: string, patienceSeconds: number, cause?: unknown) {
    super('unavailable', `stream ${stream} takes no more events: ${why}`, {
      facts: { stream, why, patienceSeconds },
      cause,
      remedy: 'Append the events again to a new attempt. Events of an unfinished attempt do not count.',
    });
    this.patienceSeconds = patienceSeconds;
  }
}

/** Facts about missing evidence, in addition to those of its store. */
export interface MissingFacts extends Readonly<Record<string, unknown>> {
  readonly stream?: string;
  /** The number of missing events. */
  readonly missing?: number;
  /** The number of existing events that cannot be read without the missing ones. */
  readonly unread?: number;
  /** Reading the whole ledger can continue after this cursor. */
  readonly past?: Cursor;
}

/** There is less evidence than a run event reports or seals, or than there was before: its store lost events, or was restored from an older copy. */
export class EvidenceMissing extends IcecoreError {
  override readonly name = 'EvidenceMissing';
  readonly stream: string | null;
  readonly missing: number | null;
  readonly unread: number;
  readonly past: Cursor | null;

  constructor(what: string, facts: MissingFacts, advice = '') {
    super('damaged', what, {
      facts,
      remedy: `Write nothing. Restore the evidence from a backup, or bring a complete copy to two new places with \`icecore ledger copy\`; \`icecore verify\` lists all missing evidence.${advice}`,
    });
    this.stream = facts.stream ?? null;
    this.missing = facts.missing ?? null;
    this.unread = facts.unread ?? 0;
    this.past = facts.past ?? null;
  }
}

/** An event whose bytes do not match its digest, or that is filed under a wrong stream, revision, type or id. */
export class DamagedEvent extends IcecoreError {
  override readonly name = 'DamagedEvent';
  readonly stream: string;
  readonly revision: number;

  constructor(stream: string, revision: number, what: string) {
    super('damaged', `${stream}@${revision}: ${what}`, {
      facts: { stream, revision, what },
      remedy: 'Run `icecore verify` on the ledger it came from.',
    });
    this.stream = stream;
    this.revision = revision;
  }
}

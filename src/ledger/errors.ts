// What can go wrong with a ledger, each with its facts.
import { describeIssue, IcecoreError, type Issue } from '../../schemas/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import type { Cursor, Expectation } from './event.ts';

/** A store that is away says nothing about what it holds: callers wait for it, or ask again later. */
export function isAway(error: unknown): error is IcecoreError {
  return error instanceof IcecoreError && error.kind === 'unavailable';
}

/** The stream does not end where the writer expected, so nothing was appended. */
export class WrongRevision extends IcecoreError {
  override readonly name = 'WrongRevision';
  readonly stream: string;
  readonly expected: Expectation;
  /** The stream's last revision; -1 when it does not exist. */
  readonly actual: number;

  constructor(stream: string, expected: Expectation, actual: number) {
    const there = actual < 0 ? 'it does not exist' : `its last revision is ${actual}`;
    super('conflict', `stream ${stream}: expected ${describeExpectation(expected)}, but ${there}`, {
      facts: { stream, expected, actual },
      remedy: 'Read the stream again from the revision you knew, decide anew, and append with the revision found.',
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
    remedy = 'Give the event an id of its own, or send exactly what is stored to have it counted as already there.',
  ) {
    const taken = `is already taken by ${stored.stream}@${stored.revision}`;
    super('conflict', `id ${id} ${taken}, which differs in ${differs.join(', ')}`, {
      facts: { id, stored, differs },
      remedy,
    });
    this.id = id;
  }
}

/** Of a thousand bad events, so many are shown. */
const shownIssues = 10;

/** Events that break the catalogue. `issues[i].index` says which of the append's events it is. */
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

/** A copy and its original went different ways: at one place of a stream they hold different events. */
export class Diverged extends IcecoreError {
  override readonly name = 'Diverged';
  readonly stream: string;
  readonly revision: number;
  /** The digest of the event that is there. */
  readonly found: string;

  constructor(stream: string, revision: number, wanted: string, found: string) {
    const differs = `${found.slice(0, 12)}… instead of ${wanted.slice(0, 12)}…`;
    super('conflict', `${stream}@${revision} is another event here: ${differs}`, {
      facts: { stream, revision, wanted, found },
      remedy: 'The two ledgers went different ways. Nothing was written over; copy to a new place.',
    });
    this.stream = stream;
    this.revision = revision;
    this.found = found;
  }
}

/** An event has more bytes than the store takes; long texts belong into blobs. */
export class EventTooLarge extends IcecoreError {
  override readonly name = 'EventTooLarge';

  constructor(id: string, bytes: number, limit: number, index: number) {
    super('bad-input', `event ${index + 1} (${id}) has ${bytes} bytes, at most ${limit} are allowed`, {
      facts: { id, bytes, limit, index },
      remedy: 'Keep long prompts, completions and transcripts as blobs and name the blob in the event.',
    });
  }
}

/** The store cannot do what was requested; `capabilities` says what each ledger can do. */
export class UnsupportedByStore extends IcecoreError {
  override readonly name = 'UnsupportedByStore';

  constructor(url: string, what: string) {
    super('unsupported', `${url} cannot ${what}`, { facts: { url, what } });
  }
}

/** The cursor was not issued by this ledger, or points past its end. */
export class BadCursor extends IcecoreError {
  override readonly name = 'BadCursor';

  constructor(cursor: Cursor, url: string, why: string) {
    super('bad-input', `cursor "${cursor}" does not fit ${url}: ${why}`, {
      facts: { cursor, url },
      remedy: 'Use a cursor that this ledger gave: `icecore event tail --json` prints one with every event.',
    });
  }
}

/** The ledger was used after `close`, or closed while a call was still waiting. */
export class LedgerClosed extends IcecoreError {
  override readonly name = 'LedgerClosed';

  constructor(url: string) {
    super('internal', `${url} was closed`, { facts: { url } });
  }
}

/** There is no ledger at the URL, and opening was not allowed to create one. */
export class LedgerMissing extends IcecoreError {
  override readonly name = 'LedgerMissing';

  constructor(
    url: string,
    remedy = `Create one with \`icecore init --ledger ${shellWord(url)}\`, or by opening it with { create: true }.`,
  ) {
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

/** SQLite would run what somebody else put into the file: a trigger, a view, a column that is computed. */
export class ForeignLayout extends IcecoreError {
  override readonly name = 'ForeignLayout';

  constructor(path: string, found: string) {
    super('damaged', `${path} is not laid out as a ledger: ${found}`, {
      facts: { path, found },
      remedy:
        'Nothing was changed. Restore a backup, or write to a copy that `icecore ledger copy` makes of what can be read.',
    });
  }
}

/** SQLite would change the ledger by a file that somebody else put next to it. */
export class ForeignJournal extends IcecoreError {
  override readonly name = 'ForeignJournal';

  constructor(path: string, journal: string) {
    super('damaged', `${path} would be changed by the first who writes to it: by the rollback journal ${journal}`, {
      facts: { path, journal },
      remedy:
        'Nothing was changed. icecore makes no such journal: let the SQLite tool end that is at work on the file; where ' +
        'there is none, restore a backup, or move the journal away and run `icecore verify`.',
    });
  }
}

/** The ledger was written by a newer icecore in a format that this one does not understand. */
export class NewerLedger extends IcecoreError {
  override readonly name = 'NewerLedger';

  constructor(path: string, found: number, understood: number) {
    super('newer-format', `${path} has format ${found}; this icecore understands up to ${understood}`, {
      facts: { path, found, understood },
      remedy: 'Nothing was changed. Use the newer icecore that wrote it.',
    });
  }
}

/** SQLite finds the file of the ledger corrupt, or reads values from it that icecore never writes. */
export class DamagedLedger extends IcecoreError {
  override readonly name = 'DamagedLedger';

  constructor(path: string, detail: string, cause?: unknown) {
    super('damaged', `${path} is damaged: ${detail}`, {
      facts: { path, detail },
      cause,
      remedy: 'Stop writing, keep a copy of the file with its -wal, and run `icecore doctor`.',
    });
  }
}

/** Other writers held the lock on the SQLite file for longer than icecore waits. */
export class LedgerBusy extends IcecoreError {
  override readonly name = 'LedgerBusy';

  constructor(path: string, seconds: number) {
    super('unavailable', `${path}: other writers held the ledger for ${seconds} s without a gap`, {
      facts: { path, seconds },
      remedy: 'See what else writes to it, and run the same again: events that were stored are not stored twice.',
    });
  }
}

/** In Kafka an attempt has one writer in one session: after a rejected send nobody knows what of it is stored. */
export class AttemptBroken extends IcecoreError {
  override readonly name = 'AttemptBroken';
  /** For how long the store is worth trying again with new attempts: its patience. */
  readonly patienceSeconds: number;

  constructor(stream: string, why: string, patienceSeconds: number, cause?: unknown) {
    super('unavailable', `stream ${stream} takes no more events: ${why}`, {
      facts: { stream, why, patienceSeconds },
      cause,
      remedy:
        'Append the events of this attempt again, to a new attempt. Events of an attempt that is not finished do not count.',
    });
    this.patienceSeconds = patienceSeconds;
  }
}

/** What is known of evidence that is missing, beside what its store says of it. */
export interface MissingFacts extends Readonly<Record<string, unknown>> {
  readonly stream?: string;
  /** How many events. */
  readonly missing?: number;
  /** Reading the whole ledger can go on after this cursor. */
  readonly past?: Cursor;
}

/** Evidence has fewer events than a run event reports or seals, or than it once had: its store lost some, or was restored from an older copy. */
export class EvidenceMissing extends IcecoreError {
  override readonly name = 'EvidenceMissing';
  readonly stream: string | null;
  readonly missing: number | null;
  readonly past: Cursor | null;

  constructor(what: string, facts: MissingFacts, advice = '') {
    super('damaged', what, {
      facts,
      remedy: `Write nothing. Restore the evidence from a backup, or bring a complete copy to two new places with \`icecore ledger copy\`; \`icecore verify\` names all that is missing.${advice}`,
    });
    this.stream = facts.stream ?? null;
    this.missing = facts.missing ?? null;
    this.past = facts.past ?? null;
  }
}

/** An event whose bytes are not what its digest says, or that is filed as something it is not. */
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

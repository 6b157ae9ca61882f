// The narrow port of a store on a server: append at an exact end, read a range, follow from a position, find ends. All else
// that a ledger can do (digests, ranges, audit, copying, repeated ids, waiting, retrying) is made of these, once, in remote/.
import type { AuditOptions, EvidencePlace, StoreFault } from '../ledger.ts';

/** An event to be appended: its canonical JSON, which has its revision and `previous`, and the digest of that. */
export interface OutgoingEvent {
  readonly revision: number;
  readonly body: string;
  readonly digest: string;
  /** In milliseconds since 1970; null: now. A copy bears the time of its original where the server can keep it. */
  readonly recordedMs: number | null;
}

/** An event as it was found: `body` is made again from what the server holds, and its SHA-256 is `digest`. */
export interface FoundEvent {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  /** As it is in the body. */
  readonly id: string;
  readonly recordedMs: number;
  readonly digest: string;
  readonly body: string;
  /** After this position it is not read again. */
  readonly position: Position;
}

/** Where a reader has come to in everything there is: opaque, ordered by `comparePositions`. */
export type Position = string;

export interface Page {
  readonly events: readonly FoundEvent[];
  /** Records that are no events of ours and take no revision: they are skipped. */
  readonly foreign?: readonly StoreFault[];
  /** Progress, also where none of what was passed was ours. */
  readonly position: Position;
  /** Everything that was there when the read began, or when this page was read by a follower, has been delivered. */
  readonly isCaughtUp: boolean;
}

export interface StreamRange {
  /** First revision, inclusive. */
  readonly from: number;
  /** Last revision, inclusive; absent: the end. */
  readonly to?: number;
  readonly backwards?: boolean;
  readonly limit?: number;
}

/** A stream and its last event. */
export type LogStream = Pick<FoundEvent, 'stream' | 'revision' | 'digest' | 'position'>;

export type LogAppended =
  | { readonly kind: 'appended'; readonly position: Position; readonly place?: EvidencePlace }
  /** The stream does not end where the caller believed: nothing was stored. `revision` is -1 where it does not exist. */
  | { readonly kind: 'wrong-end'; readonly revision: number };

export interface LogTraits {
  readonly maxEventBytes: number;
  /** Of one append; what is more goes in several. */
  readonly maxAppendBytes: number;
  readonly maxAppendEvents: number;
  /** What an event adds to an append beside its canonical JSON, at most: counted in `maxAppendBytes`. */
  readonly eventOverheadBytes: number;
  /**
   * `open`: every two events are ordered by position, and streams are indexed and can be read backwards. `reported`: a log of
   * attempts, which are ordered by themselves only and are read by their places.
   */
  readonly attempts: 'open' | 'reported';
}

/**
 * What a server-side store implements. Calls throw TransientError (errors.ts) for what may pass, and the engine repeats them;
 * OutcomeUnknown where an append may or may not have been stored, and the engine repeats it identically, then reads the end of
 * the stream; AttemptBroken where a session-bound stream takes no more events. Calls that read throw BadPosition for
 * a position that this log never gave, or that lies after its end. A page holds at most about 4 MiB.
 */
export interface ServerLog {
  /** The ledger's identity, and the part of a split ledger it is. */
  readonly ledger: string;
  readonly part: 'decisions' | 'evidence' | undefined;
  readonly url: string;
  readonly traits: LogTraits;

  /**
   * All of them or none, after exactly the revision before that of the first. The engine never has two appends to one stream
   * under way. `isNew`: the first event begins a stream that nobody has written to. An append that is repeated identically after
   * OutcomeUnknown is not stored twice. The signal ends the waiting; what the server was sent may still be stored.
   */
  append(
    stream: string,
    events: readonly OutgoingEvent[],
    options: { readonly isNew: boolean; readonly signal: AbortSignal },
  ): Promise<LogAppended>;

  /** A stream that is not there yields nothing. */
  readStream(stream: string, range: StreamRange, signal: AbortSignal): AsyncIterable<readonly FoundEvent[]>;

  /** The streams whose names begin with `prefix`, in the order of their names (by UTF-16 code units). */
  streams(prefix: string, signal: AbortSignal): AsyncIterable<readonly LogStream[]>;

  /**
   * Everything after a position. `live`: goes on with what comes until the signal aborts; otherwise ends where the store ended
   * when it began, or at `until`.
   */
  follow(
    options: { readonly after: Position | null; readonly until?: Position; readonly live: boolean },
    signal: AbortSignal,
  ): AsyncIterable<Page>;

  /** The position of the end, and how many events there are, without reading them. */
  head(signal: AbortSignal): Promise<{ readonly position: Position | null; readonly events: number }>;

  /** Throws BadPosition. */
  comparePositions(a: Position, b: Position): 'before' | 'equal' | 'after' | 'concurrent';

  /** What is wrong with the store itself and not with any event, records of other programs in our streams among it; of a run, or of all. */
  faults(options: Pick<Required<AuditOptions>, 'wholly' | 'run'>, signal: AbortSignal): AsyncIterable<StoreFault>;

  /** The revisions of a stream at which other programs have records, which reading skips. Absent where a record of theirs takes no revision. */
  foreignIn?(stream: string, signal: AbortSignal): Promise<ReadonlySet<number>>;

  close(): Promise<void>;
}

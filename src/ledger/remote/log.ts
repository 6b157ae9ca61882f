// The narrow port of a store on a server: append at an exact end, read a range, follow from a position, find ends. All else
// that a ledger can do (digests, ranges, audit, copying, repeated ids, waiting, retrying) is made of these, once, in remote/.
import type { EvidencePlace } from '../ledger.ts';

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

/** A record in our place that is no event of ours: it is reported, and skipped. */
export interface Rejected {
  readonly where: string;
  readonly why: string;
}

/** Where a reader has come to in everything there is: opaque, ordered by `comparePositions`. */
export type Position = string;

export interface Page {
  readonly events: readonly FoundEvent[];
  readonly rejected: readonly Rejected[];
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

/** Where a stream ends: its last revision, and the digest of the event there. */
export interface LogEnd {
  readonly revision: number;
  readonly digest: string;
}

/** A stream and its end; `position` is that of its last event. */
export interface LogStream extends LogEnd {
  readonly stream: string;
  readonly position: Position;
}

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
  /** `readStream` can go backwards. */
  readonly backwards: boolean;
  /** `readStream` costs as much as it yields; otherwise it scans. */
  readonly indexedStreams: boolean;
  /** Every two events are ordered by position. */
  readonly totalOrder: boolean;
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

  /** Null where the stream is not there. */
  endOf(stream: string, signal: AbortSignal): Promise<LogEnd | null>;

  /** The streams whose names begin with `prefix`, in the order of their names (by UTF-16 code units). */
  streams(prefix: string, signal: AbortSignal): AsyncIterable<readonly LogStream[]>;

  /**
   * Everything after a position. `live`: goes on with what comes until the signal aborts; otherwise ends where the store ended
   * when it began, or at `until`.
   */
  follow(
    options: {
      readonly after: Position | null;
      readonly until?: Position;
      readonly live: boolean;
      readonly types?: readonly string[];
    },
    signal: AbortSignal,
  ): AsyncIterable<Page>;

  /** The position of the end, and how many events there are, without reading them. */
  head(signal: AbortSignal): Promise<{ readonly position: Position | null; readonly events: number }>;

  /** Throws BadPosition. */
  comparePositions(a: Position, b: Position): 'before' | 'equal' | 'after' | 'concurrent';

  /** What is wrong with the store itself, and not with any event. */
  faults(
    options: { readonly wholly: boolean },
    signal: AbortSignal,
  ): AsyncIterable<{ readonly where: string; readonly what: string }>;

  close(): Promise<void>;
}

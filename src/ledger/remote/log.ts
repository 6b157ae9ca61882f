// The narrow port of a store on a server: append at an exact end, read a range, follow from a position, find ends. All other
// operations of a ledger (digests, ranges, audit, copying, repeated ids, waiting, retrying) are built from these in remote/.
import type { AuditOptions, EvidencePlace, StoreFault } from '../ledger.ts';

/** An event to append: its canonical JSON, which includes its revision and `previous`, and its digest. */
export interface OutgoingEvent {
  readonly revision: number;
  readonly body: string;
  readonly digest: string;
  /** In milliseconds since 1970; null: now. A copy has the time of its original if the server can keep it. */
  readonly recordedMs: number | null;
}

/** An event as read: `body` is reconstructed from the stored fields, and its SHA-256 is `digest`. */
export interface FoundEvent extends OutgoingEvent {
  readonly stream: string;
  readonly type: string;
  readonly id: string;
  readonly recordedMs: number;
  /** A read after this position does not include the event. */
  readonly position: Position;
}

/** The progress of a reader of the whole log: opaque, ordered by `comparePositions`. */
export type Position = string;

export interface Page {
  readonly events: readonly FoundEvent[];
  /** Records that are not events of icecore and take no revision; they are skipped. */
  readonly foreign?: readonly StoreFault[];
  /** The progress, which also counts records of other programs. */
  readonly position: Position;
  /** Everything that existed when the read began, or when a follower read this page, has been delivered. */
  readonly isCaughtUp: boolean;
}

export interface StreamRange {
  /** First revision, inclusive. */
  readonly from: number;
  /** Last revision, inclusive; absent: the end. */
  readonly to?: number | undefined;
  readonly backwards?: boolean;
  readonly limit?: number | undefined;
}

/** A stream and its last event. */
export type LogStream = Pick<FoundEvent, 'stream' | 'revision' | 'digest' | 'position'>;

export type LogAppended<Found = Position> =
  /** `position` is that of the last event. */
  | { readonly kind: 'appended'; readonly position: Found; readonly place?: EvidencePlace }
  /** The stream does not end where the caller expected, so nothing was stored. `revision` is -1 if it does not exist. */
  | { readonly kind: 'wrong-end'; readonly revision: number };

export interface LogTraits {
  /** The maximum size of one append; larger ones are split. */
  readonly maxAppendBytes: number;
  readonly maxAppendEvents: number;
  /** The maximum overhead of an event in an append, in addition to its canonical JSON; counts towards `maxAppendBytes`. */
  readonly eventOverheadBytes: number;
  /**
   * `open`: every two events are ordered by position, and streams are indexed and can be read backwards. `reported`: a log of
   * attempts, which are ordered only within themselves and are read by their places.
   */
  readonly attempts: 'open' | 'reported';
}

/**
 * The interface of a store on a server. Calls throw TransientError (errors.ts) for transient errors, which the engine retries;
 * OutcomeUnknown if an append may or may not have been stored, which the engine repeats identically before it reads the end of
 * the stream; AttemptBroken if a session-bound stream accepts no more events. Reading calls throw BadPosition for a position
 * that this log never returned or that is after its end. A page holds at most about 4 MiB.
 */
export interface ServerLog {
  /** The ledger's id, and the part of a split ledger that it is. */
  readonly ledger: string;
  readonly part: 'decisions' | 'evidence' | undefined;
  readonly url: string;
  readonly traits: LogTraits;

  /**
   * Appends all of them or none, exactly after the revision before that of the first. The engine never runs two appends to one
   * stream at a time. `isNew`: the first event starts a new stream. An append that is repeated identically after OutcomeUnknown is
   * not stored twice, and may have no position. The signal ends the waiting, but sent events may still be stored.
   */
  append(
    stream: string,
    events: readonly OutgoingEvent[],
    options: { readonly isNew: boolean; readonly signal: AbortSignal },
  ): Promise<LogAppended<Position | null>>;

  /** A missing stream yields nothing. */
  readStream(stream: string, range: StreamRange, signal: AbortSignal): AsyncIterable<readonly FoundEvent[]>;

  /** The streams whose names begin with `prefix`, sorted by name (by UTF-16 code units). */
  streams(prefix: string, signal: AbortSignal): Promise<readonly LogStream[]>;

  /**
   * Everything after a position. `live` continues with new events until the signal aborts; otherwise it ends where the store ended
   * when it began, or at `until`.
   */
  follow(
    options: { readonly after: Position | null; readonly until?: Position | undefined; readonly live: boolean },
    signal: AbortSignal,
  ): AsyncIterable<Page>;

  /** The position of the end, and the number of events, without reading them. */
  head(signal: AbortSignal): Promise<{ readonly position: Position | null; readonly events: number }>;

  /** Throws BadPosition. */
  comparePositions(a: Position, b: Position): 'before' | 'equal' | 'after' | 'concurrent';

  /** Faults of the store itself, including records of other programs in our streams; for a run, or for all. */
  faults(options: Pick<Required<AuditOptions>, 'wholly' | 'run'>, signal: AbortSignal): AsyncIterable<StoreFault>;

  /** The revisions of a stream with records of other programs, which reading skips. Absent if such records take no revision. */
  foreignIn?(stream: string, signal: AbortSignal): Promise<ReadonlySet<number>>;

  close(): Promise<void>;
}

export const pageEvents = 500;
/** About a mebibyte. */
export const pageCharacters = 2 ** 20;

export async function* inPages(
  events: AsyncIterable<FoundEvent>,
  most = pageEvents,
): AsyncGenerator<readonly FoundEvent[]> {
  let page: FoundEvent[] = [];
  let characters = 0;
  for await (const event of events) {
    page.push(event);
    characters += event.body.length;
    if (page.length < most && characters < pageCharacters) continue;
    yield page;
    page = [];
    characters = 0;
  }
  if (page.length > 0) yield page;
}

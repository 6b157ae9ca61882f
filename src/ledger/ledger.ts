// The ledger port: what every store of events can do. A store is append-only; nothing is ever changed or removed.
// One contract suite (contract/) runs against every store; what a store cannot do it declares in its capabilities and
// refuses when asked for.
import type { EventTypes } from '../../schemas/check.ts';
import type { NewEvent } from '../../schemas/envelope.ts';
import type { EventType } from '../../schemas/family.ts';
import type { Cursor, CursorOrder, Expectation } from './event.ts';
import type { StoredEvent } from './stored.ts';

/** What `append` must find at the end of the stream, and how it treats the events. */
export interface AppendOptions {
  readonly expect: Expectation;
  /**
   * The caller vouches that nobody has written to this stream: a fencing token of its own is in its name. A store that would
   * have to search for the stream does not look for it. Only for evidence, with `any`.
   */
  readonly isNew?: boolean;
  /** The types that may be written, where they are more than icecore's own. `openLedger` supplies those that were registered. */
  readonly types?: EventTypes;
  /** Gives up waiting for the store when aborted; what was begun is finished, what was committed stays. */
  readonly signal?: AbortSignal;
}

/** What an append stored, and where the stream ends after it. */
export interface Appended {
  /** The stream's last revision after this append; -1 where the stream is still empty. */
  readonly revision: number;
  /** For each event handed in, in order: was it already there? */
  readonly existed: readonly boolean[];
  /** Of each event handed in, in order, as it is stored; 64 hexadecimal digits each, put together. */
  readonly digests: string;
  /** Reading after this cursor yields nothing of this append. */
  readonly cursor: Cursor;
  /** Where the events were written, in a store that has no index of streams: what `AttemptFinished` records. */
  readonly place?: EvidencePlace;
}

/** Where the events of an evidence stream are in Kafka, both ends included. A hint: offsets change with restores and mirrors. */
export interface EvidencePlace {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

/** Which events of one stream to read, and in which direction. */
export interface ReadOptions {
  /** First revision, inclusive. */
  readonly from?: number;
  /** Last revision, inclusive. */
  readonly to?: number;
  /** From the last revision to the first. */
  readonly backwards?: boolean;
  /** At most so many events. */
  readonly limit?: number;
}

/** Which events of the whole ledger to read, and in which direction. */
export interface ReadAllOptions {
  /** Only what comes after this cursor (before it, when reading backwards). */
  readonly after?: Cursor;
  /** Only what comes up to this cursor, itself included. Not together with `backwards`. */
  readonly until?: Cursor;
  /** Only events of these types. */
  readonly types?: readonly string[];
  /** Only events of these streams. */
  readonly streams?: readonly string[];
  readonly backwards?: boolean;
  readonly limit?: number;
}

/** Where a subscription starts, and which events it delivers. */
export interface SubscribeOptions {
  /** Start after this cursor; without it, at the beginning. */
  readonly after?: Cursor;
  readonly types?: readonly string[];
  readonly streams?: readonly string[];
  /** Where attempts have to be reported: also delivers evidence that is not reported yet, from now on, as it arrives. */
  readonly unsealed?: boolean;
  /** Ends the subscription. */
  readonly signal?: AbortSignal;
}

/**
 * What a subscription delivers: batches of events in the ledger's order, and a `caught-up` each time everything that was
 * there has been delivered, also while others go on writing. `cursor` is where to go on from: after it nothing is delivered again, nothing is left out.
 */
export type Delivery =
  | { readonly kind: 'events'; readonly events: readonly StoredEvent[]; readonly cursor: Cursor }
  /** Only where `unsealed` is set. They come again as `events` once they are reported; `cursor` is that of the delivery before. */
  | { readonly kind: 'unsealed'; readonly events: readonly StoredEvent[]; readonly cursor: Cursor }
  | { readonly kind: 'caught-up'; readonly cursor: Cursor };

/** Where the ledger ends, and how many events it holds up to there. */
export interface Head {
  /** After this cursor there is nothing. */
  readonly cursor: Cursor;
  /** How many events the ledger holds. */
  readonly events: number;
}

/** Of an evidence stream, the events that no run event reports. */
export interface UnreportedEvidence {
  readonly stream: string;
  readonly events: number;
}

/** A stream, and how far it goes. */
export interface StreamEnd {
  readonly stream: string;
  /** The last revision. */
  readonly revision: number;
  /** Of the event there. */
  readonly cursor: Cursor;
}

/** A part of the ledger, in the order that digests come in. */
export interface EventRange {
  /** It begins behind this cursor; null: at the beginning. */
  readonly after: Cursor | null;
  /** And ends with the event of this one. */
  readonly until: Cursor;
  /** How many events it must hold. */
  readonly events: number;
}

/**
 * The digests of which events: those of a stream by revision, or those of the ledger by its order; ends included. Where
 * not every two events are ordered, that may be another order than they are read in, and is always the same.
 */
export type DigestsOf =
  | { readonly stream: string; readonly from?: number; readonly to?: number }
  | { readonly after?: Cursor | null; readonly until?: Cursor };

/** What `replicate` found, and the cursor after the events it was given. */
export interface Replicated {
  /** How many of the events handed in were already there. */
  readonly existed: number;
  readonly cursor: Cursor;
}

/** Something wrong that only the store can see: an index that disagrees, a page that cannot be read. */
export interface StoreFault {
  readonly where: string;
  readonly what: string;
}

/** What a store can do; code that works with any ledger checks these before it relies on them. */
export interface Capabilities {
  /** Every two events of the ledger are ordered; otherwise only those of one stream are. */
  readonly totalOrder: boolean;
  /** The expectations `append` understands. */
  readonly expectations: readonly ('any' | 'none' | 'exists' | 'revision')[];
  /** Either all new events of one append are stored, or none. */
  readonly atomicAppend: boolean;
  /** The same of one call to replicate; otherwise it holds for the events of each stream. */
  readonly atomicReplicate: boolean;
  /** `read` and `readAll` can go backwards. */
  readonly backwards: boolean;
  /** `read` costs as much as it yields, however long the ledger is; otherwise it scans. */
  readonly indexedStreams: boolean;
  /** `find` finds every event, without a scan; otherwise it finds run events only, and no evidence. */
  readonly findById: boolean;
  /** Where an id may stand once only: a second event with it is refused there, and elsewhere told by `audit`. */
  readonly ids: 'ledger' | 'stream';
  /** Of those who write at once without a pause, the slowest gets about as much done as the others. */
  readonly fairWriters: boolean;
  /** The largest canonical event, in bytes. */
  readonly maxEventBytes: number;
  /**
   * `open`: an evidence stream can be continued at any time, by whoever has it, and is listed as soon as it has an event.
   * `reported`: one writer appends to it in one session; from `AttemptFinished` in the work stream, or a seal, others know of it.
   */
  readonly attempts: 'open' | 'reported';
}

/** How thoroughly to audit the store, and for which run. */
export interface AuditOptions {
  readonly wholly?: boolean;
  readonly run?: string | null;
  /** Called, where `wholly`, with evidence that no run event reports: an audit reads it anyway. */
  readonly onUnreported?: (evidence: UnreportedEvidence) => void;
}

/** How to open a ledger, and whether to create it. */
export interface OpenOptions {
  /** Make the ledger where there is none; otherwise that is LedgerMissing. */
  readonly create?: boolean;
  /** The identity to give a ledger that is made: a copy of a whole ledger bears that of the original. */
  readonly createAs?: string;
  /** What is made is to be this part of a split ledger. */
  readonly part?: 'decisions' | 'evidence';
  /** Event types of the caller's own, as `defineEvent` declares them: they can be written, and read in their current version. */
  readonly types?: readonly EventType[] | undefined;
  /** Never write, not even to make or migrate. */
  readonly readOnly?: boolean;
  /** Told when a store does not answer and is waited for, and when it is back. */
  readonly onWait?: OnWait;
  /** Gives up waiting for a store to be opened; what is open stays open. */
  readonly signal?: AbortSignal;
}

/** Called when a store does not answer and icecore waits for it, and again when it is back. */
export type OnWait = (waiting: Waiting) => void;

/** Which store icecore waits for, and why; `away` is null once it answers again. */
export interface Waiting {
  /** The ledger, or the part of it that lies in a store of its own. */
  readonly store: 'ledger' | 'decisions' | 'evidence';
  /** Null: it is back. */
  readonly away: {
    readonly what: string;
    /** How long it is waited for, at most. */
    readonly seconds: number;
  } | null;
}

/** An append-only store of events, the same interface for SQLite, EventStoreDB, Kafka and split ledgers. */
export interface Ledger {
  /** The ledger's own identity, given at its making; a copy of the file has the same. */
  readonly id: string;
  /** Where it is, as a person would type it. */
  readonly url: string;
  readonly capabilities: Capabilities;
  /** It was made as this part of a split ledger: by itself it is none. */
  readonly part?: 'decisions' | 'evidence' | undefined;
  /** All types that are known here, those that were registered at opening among them; without it, icecore's own. */
  readonly types?: EventTypes;

  /**
   * Appends events of one stream, durably, in order, and computes their revisions and digests.
   *
   * Sameness: an event whose id is already there is a success when both agree apart from `at`, `recordedAt`, `previous`
   * and `data.measured`; it is not stored again. So a retry of an append whose outcome is unknown succeeds, also when
   * part of it was stored and also when `expect` no longer holds for the part that was.
   *
   * Throws WrongRevision when `expect` does not hold for the events that are new, DuplicateId when an id is there with
   * other content, InvalidEvents when an event breaks the catalogue, EventTooLarge. Nothing of a refused append is stored.
   */
  append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended>;

  /** The events of one stream, in batches. A stream that does not exist yields nothing. */
  read(stream: string, options?: ReadOptions): AsyncIterable<readonly StoredEvent[]>;

  /**
   * The events of the whole ledger, in batches, up to what was there when the read began: it ends, however fast others
   * write. Memory does not grow with the ledger, and no snapshot is held between batches.
   */
  readAll(options?: ReadAllOptions): AsyncIterable<readonly StoredEvent[]>;

  /** Follows the ledger live, across processes, until the signal aborts or the consumer stops. */
  subscribe(options?: SubscribeOptions): AsyncIterable<Delivery>;

  /**
   * Appends events of any streams exactly as another ledger stored them: the same bytes, revisions and digests, and
   * `recordedAt` where the store can keep it. An event that is there in the same bytes is a success. All or none, of the
   * ledger or of each stream; what breaks off in between leaves no decision without the evidence it vouches for.
   *
   * Throws DamagedEvent when an event is not what its digest says or is filed as something else, Diverged when another
   * event is in its place, WrongRevision when the one before it is missing.
   */
  replicate(events: readonly StoredEvent[], signal?: AbortSignal): Promise<Replicated>;

  /** The streams whose names begin with `prefix`, in the order of their names, in batches. */
  streams(prefix?: string): AsyncIterable<readonly StreamEnd[]>;

  /**
   * Evidence that is stored and that no run event reports, so that reading everything yields none of it. Absent where every
   * stream is listed. A store without an index of streams is read for this.
   */
  unreported?(): AsyncIterable<readonly UnreportedEvidence[]>;

  /** The revisions of a stream at which other programs have records: reading skips them. Absent where nobody else can write. */
  foreign?(stream: string): Promise<ReadonlySet<number>>;

  /** Digests without their events, in order, in batches; 64 hexadecimal digits each, put together. */
  digests(of: DigestsOf): AsyncIterable<string>;

  /** Cuts what is there, behind `after` and up to `until`, into ranges of at most so many events. */
  ranges(events: number, span?: { readonly after?: Cursor; readonly until?: Cursor }): Promise<readonly EventRange[]>;

  /**
   * Looks for what is wrong with the store itself, records of other programs in streams of the ledger among it; `wholly`, which is the default, may take as long as reading everything,
   * and blocks the thread. Otherwise only what takes no time, and whether the indexes agree with what is stored of `run`.
   */
  audit(options?: AuditOptions): AsyncIterable<StoreFault>;

  /** Events by id, or by a unique beginning of one (at least four hexadecimal digits); at most `limit`. */
  find(id: string, limit?: number): Promise<readonly StoredEvent[]>;

  /** Where the ledger ends now, and how many events it holds. */
  head(): Promise<Head>;

  /** How `a` lies to `b`. Throws BadCursor on what this ledger never gave. */
  compareCursors(a: Cursor, b: Cursor): CursorOrder;

  /** Releases everything. Later calls throw LedgerClosed; subscriptions end. */
  close(): Promise<void>;
}

/** Null where there is none. */
export async function eventAt(
  ledger: Ledger,
  { stream, revision }: { readonly stream: string; readonly revision: number },
): Promise<StoredEvent | null> {
  for await (const [event] of ledger.read(stream, { from: revision, to: revision })) return event ?? null;
  return null;
}

/** Null where the stream has no events. */
export async function lastOf(ledger: Ledger, stream: string): Promise<StoredEvent | null> {
  for await (const [event] of ledger.read(stream, { backwards: true, limit: 1 })) return event ?? null;
  return null;
}

/** The part of a split ledger, as it is recorded where it is made. */
export function partIn(text: unknown): Ledger['part'] {
  return text === 'decisions' || text === 'evidence' ? text : undefined;
}

// The ledger port: the interface of every store of events. A store is append-only; nothing is ever changed or removed.
// One contract suite (contract/) runs against every store. A store declares in its capabilities what it cannot do, and then
// throws when it is requested.
import type { EventTypes } from '../../schemas/check.ts';
import type { NewEvent } from '../../schemas/envelope.ts';
import type { EventType } from '../../schemas/family.ts';
import type { Cursor, CursorOrder, Expectation } from './event.ts';
import type { StoredEvent } from './stored.ts';

/** What `append` expects at the end of the stream, and how it treats the events. */
export interface AppendOptions {
  readonly expect: Expectation;
  /**
   * The caller guarantees that the stream is new, because a unique fencing token is part of its name. A store that would have
   * to search for the stream then skips the search. Only for evidence, with `any`.
   */
  readonly isNew?: boolean;
  /** The types that may be written, if they are more than icecore's own. `openLedger` sets it to the registered types. */
  readonly types?: EventTypes;
  /** Stops waiting for the store when aborted; started work completes, and committed events stay. */
  readonly signal?: AbortSignal;
}

/** What an append stored, and the end of the stream after it. */
export interface Appended {
  /** The stream's last revision after this append; -1: the stream is still empty. */
  readonly revision: number;
  /** For each given event, in order, whether it already existed. */
  readonly existed: readonly boolean[];
  /** The digests of the given events as stored, in order; 64 hexadecimal digits each, concatenated. */
  readonly digests: string;
  /** Reading after this cursor yields nothing of this append. */
  readonly cursor: Cursor;
  /** Where the events were written, in a store without an index of streams; `AttemptFinished` records it. */
  readonly place?: EvidencePlace;
}

/** Where the events of an evidence stream are in Kafka, both ends inclusive. A hint: offsets change with restores and mirrors. */
export interface EvidencePlace {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

/** Which events of one stream to read, and in which direction. */
export interface ReadOptions {
  /** First revision, inclusive. */
  readonly from?: number | undefined;
  /** Last revision, inclusive. */
  readonly to?: number | undefined;
  /** From the last revision to the first. */
  readonly backwards?: boolean;
  /** Maximum number of events. */
  readonly limit?: number | undefined;
}

/** Which events of the whole ledger to read, and in which direction. */
export interface ReadAllOptions {
  /** Only events after this cursor (before it, when reading backwards). */
  readonly after?: Cursor | undefined;
  /** Only events up to and including this cursor. Not together with `backwards`. */
  readonly until?: Cursor | undefined;
  /** Only events of these types. */
  readonly types?: readonly string[] | undefined;
  /** Only events of these streams. */
  readonly streams?: readonly string[] | undefined;
  readonly backwards?: boolean;
  readonly limit?: number | undefined;
}

/** Where a subscription starts, and which events it delivers. */
export interface SubscribeOptions {
  /** Start after this cursor; without it, at the beginning. */
  readonly after?: Cursor | undefined;
  readonly types?: readonly string[] | undefined;
  readonly streams?: readonly string[] | undefined;
  /** If attempts have to be reported: also delivers new evidence that is not reported yet, as it arrives. */
  readonly unsealed?: boolean;
  /** Ends the subscription. */
  readonly signal?: AbortSignal;
}

/**
 * The deliveries of a subscription: batches of events in the ledger's order, and a `caught-up` each time everything that existed
 * has been delivered, even while others continue to write. `cursor` is the position to resume from: nothing is repeated or skipped.
 */
export type Delivery =
  | { readonly kind: 'events'; readonly events: readonly StoredEvent[]; readonly cursor: Cursor }
  /** Only with `unsealed`. They come again as `events` once they are reported; `cursor` is that of the delivery before. */
  | { readonly kind: 'unsealed'; readonly events: readonly StoredEvent[]; readonly cursor: Cursor }
  | { readonly kind: 'caught-up'; readonly cursor: Cursor };

/** The end of the ledger, and the number of events up to it. */
export interface Head {
  /** The cursor of the last event. */
  readonly cursor: Cursor;
  /** The number of events in the ledger. */
  readonly events: number;
}

/** The events of an evidence stream that no run event reports. */
export interface UnreportedEvidence {
  readonly stream: string;
  readonly events: number;
}

/** A stream with its last event. */
export interface StreamEnd {
  readonly stream: string;
  /** The last revision. */
  readonly revision: number;
  /** The cursor of the last event. */
  readonly cursor: Cursor;
}

/** A part of the ledger, in the order of digests. */
export interface EventRange {
  /** The cursor before its first event; null: the beginning. */
  readonly after: Cursor | null;
  /** The cursor of its last event. */
  readonly until: Cursor;
  /** The number of events that it must contain. */
  readonly events: number;
}

/**
 * Selects digests: those of a stream by revision, or those of the ledger in its order; ends inclusive. If the ledger does not
 * order every two events, the order may differ from that of reading, but is always the same.
 */
export type DigestsOf =
  | { readonly stream: string; readonly from?: number; readonly to?: number }
  | { readonly after?: Cursor | null; readonly until?: Cursor };

/** The result of `replicate`, and the cursor after the given events. */
export interface Replicated {
  /** The number of given events that already existed. */
  readonly existed: number;
  readonly cursor: Cursor;
}

/** A fault that only the store can detect: an inconsistent index, an unreadable page. */
export interface StoreFault {
  readonly where: string;
  readonly what: string;
}

/** What a store can do; code that works with any ledger checks these before relying on them. */
export interface Capabilities {
  /** Every two events of the ledger are ordered; otherwise only those of one stream are. */
  readonly totalOrder: boolean;
  /** One call to replicate stores either all its new events or none; otherwise this holds for the events of each stream. */
  readonly atomicReplicate: boolean;
  /** `read` and `readAll` can go backwards. */
  readonly backwards: boolean;
  /** `find` finds every event without a scan; otherwise it finds only run events. */
  readonly findById: boolean;
  /** Where an id must be unique: a second event with it is refused within this scope, and elsewhere reported by `audit`. */
  readonly ids: 'ledger' | 'stream';
  /** Among concurrent writers, the slowest makes about as much progress as the others. */
  readonly fairWriters: boolean;
  /** The largest canonical event, in bytes. */
  readonly maxEventBytes: number;
  /**
   * `open`: an evidence stream can be continued at any time, by any writer, and is listed once it has an event.
   * `reported`: one writer appends to it in one session; others see it from its `AttemptFinished` or seal on.
   */
  readonly attempts: 'open' | 'reported';
}

/** How thoroughly to audit the store, and for which run. */
export interface AuditOptions {
  readonly wholly?: boolean;
  readonly run?: string | null;
  /** Called, with `wholly`, with evidence that no run event reports, since an audit reads it anyway. */
  readonly onUnreported?: (evidence: UnreportedEvidence) => void;
}

/** How to open a ledger, and whether to create it. */
export interface OpenOptions {
  /** Creates the ledger if there is none; otherwise opening throws LedgerMissing. */
  readonly create?: boolean;
  /** The id for a new ledger: a copy of a whole ledger has the id of the original. */
  readonly createAs?: string;
  /** The part of a split ledger that a new ledger becomes. */
  readonly part?: 'decisions' | 'evidence';
  /** Event types of plugins, declared with `defineEvent`: they can be written, and read in their current version. */
  readonly types?: readonly EventType[] | undefined;
  /** Never write, not even to create or migrate. */
  readonly readOnly?: boolean;
  /** Called when a store does not answer and icecore waits for it, and when it is back. */
  readonly onWait?: OnWait;
  /** Stops waiting for a store to be opened; an open ledger stays open. */
  readonly signal?: AbortSignal;
}

/** Called when a store does not answer and icecore waits for it, and again when it is back. */
export type OnWait = (waiting: Waiting) => void;

/** The store that icecore waits for, and the reason; `away` is null once it answers again. */
export interface Waiting {
  /** The ledger, or a part with its own store. */
  readonly store: 'ledger' | 'decisions' | 'evidence';
  /** Null: it is back. */
  readonly away: {
    readonly what: string;
    /** The maximum wait. */
    readonly seconds: number;
  } | null;
}

/** An append-only store of events, the same interface for SQLite, EventStoreDB, Kafka and split ledgers. */
export interface Ledger {
  /** The ledger's id, assigned at creation; a copy of the file has the same. */
  readonly id: string;
  /** Where it is, as a person would type it. */
  readonly url: string;
  readonly capabilities: Capabilities;
  /** The part of a split ledger that it is, if any; such a part is not a ledger by itself. */
  readonly part?: 'decisions' | 'evidence' | undefined;
  /** All known types, including those registered at opening; absent: icecore's own. */
  readonly types?: EventTypes;

  /**
   * Appends events of one stream, durably, in order, and computes their revisions and digests.
   *
   * Sameness: an event whose id already exists is a success if both agree apart from `at`, `recordedAt`, `previous` and
   * `data.measured`; it is not stored again. So a retry of an append with an unknown outcome succeeds, even if part of it was
   * stored and `expect` no longer holds for that part.
   *
   * Throws WrongRevision if `expect` does not hold for the new events, DuplicateId if an id exists with other content,
   * InvalidEvents if an event violates the catalogue, EventTooLarge. A refused append stores nothing.
   */
  append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended>;

  /** The events of one stream, in batches. A stream that does not exist yields nothing. */
  read(stream: string, options?: ReadOptions): AsyncIterable<readonly StoredEvent[]>;

  /**
   * The events of the whole ledger, in batches, up to the end at the start of the read, so it terminates however fast others
   * write. Memory does not grow with the ledger, and no snapshot is held between batches.
   */
  readAll(options?: ReadAllOptions): AsyncIterable<readonly StoredEvent[]>;

  /** Follows the ledger live, across processes, until the signal aborts or the consumer stops. */
  subscribe(options?: SubscribeOptions): AsyncIterable<Delivery>;

  /**
   * Appends events of any streams exactly as another ledger stored them: the same bytes, revisions and digests, and the same
   * `recordedAt` if the store can keep it. An event that exists with the same bytes is a success. All or none, of the ledger
   * or of each stream; an interrupted call leaves no decision without the evidence it covers.
   *
   * Throws DamagedEvent if an event does not match its digest or is filed wrongly, Diverged if another event is in its place,
   * WrongRevision if the event before it is missing.
   */
  replicate(events: readonly StoredEvent[], signal?: AbortSignal): Promise<Replicated>;

  /** The streams whose names begin with `prefix`, in the order of their names, in batches. */
  streams(prefix?: string): AsyncIterable<readonly StreamEnd[]>;

  /**
   * Stored evidence that no run event reports, so that reading everything does not yield it. Absent if every stream is listed.
   * A store without an index of streams has to be scanned for this.
   */
  unreported?(): AsyncIterable<readonly UnreportedEvidence[]>;

  /** The revisions of a stream with records of other programs, which reading skips. Absent if no other program can write. */
  foreign?(stream: string): Promise<ReadonlySet<number>>;

  /** Digests without their events, in order, in batches; 64 hexadecimal digits each, concatenated. */
  digests(of: DigestsOf): AsyncIterable<string>;

  /** Splits the events after `after` and up to `until` into ranges of at most `events` events. */
  ranges(events: number, span?: Pick<ReadAllOptions, 'after' | 'until'>): Promise<readonly EventRange[]>;

  /**
   * Looks for faults of the store itself, including records of other programs in streams of the ledger. With `wholly`, the
   * default, it may take as long as reading everything, and blocks the thread. Otherwise it does only quick checks, and checks the
   * indexes for the events of `run`.
   */
  audit(options?: AuditOptions): AsyncIterable<StoreFault>;

  /** Events by id, or by a unique prefix of one (at least four hexadecimal digits); at most `limit`. */
  find(id: string, limit?: number): Promise<readonly StoredEvent[]>;

  /** The current end of the ledger, and its number of events. */
  head(): Promise<Head>;

  /** Compares `a` with `b`. Throws BadCursor for a cursor of another ledger. */
  compareCursors(a: Cursor, b: Cursor): CursorOrder;

  /** Releases everything. Later calls throw LedgerClosed; subscriptions end. */
  close(): Promise<void>;
}

/** Null: there is none. */
export async function eventAt(
  ledger: Ledger,
  { stream, revision }: { readonly stream: string; readonly revision: number },
): Promise<StoredEvent | null> {
  for await (const [event] of ledger.read(stream, { from: revision, to: revision })) return event ?? null;
  return null;
}

/** Null: the stream has no events. */
export async function lastEventOf(ledger: Ledger, stream: string): Promise<StoredEvent | null> {
  for await (const [event] of ledger.read(stream, { backwards: true, limit: 1 })) return event ?? null;
  return null;
}

/** Digests for a store that has to read the events for them. */
export async function* digestsByReading(
  ledger: Pick<Ledger, 'read' | 'readAll'>,
  of: DigestsOf,
): AsyncGenerator<string> {
  const pages =
    'stream' in of ? ledger.read(of.stream, of) : ledger.readAll({ after: of.after ?? undefined, until: of.until });
  for await (const events of pages) yield events.map(({ digest }) => digest).join('');
}

/** The part of a split ledger, as recorded at its creation. */
export function partIn(text: unknown): Ledger['part'] {
  return text === 'decisions' || text === 'evidence' ? text : undefined;
}

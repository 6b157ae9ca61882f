// The pieces a verification is cut into, and what is known of a piece once it has been examined: how much it was, what was
// found, and the parts of Merkle trees that it contributes. Both travel between threads.
import type { Envelope } from '../../../schemas/envelope.ts';
import { isChained } from '../../../schemas/streams.ts';
import { type Cursor, countedEvents } from '../event.ts';
import type { EventRange, UnreportedEvidence } from '../ledger.ts';
import { Span, type SpanState } from '../seal/span.ts';
import type { StoredEvent } from '../stored.ts';
import { type Finding, Findings, type FindingsState, finding } from './findings.ts';
import { stageOf, type Vouchers } from './vouchers.ts';

/** Revisions of a stream, both ends included. */
export interface StreamJob {
  readonly kind: 'stream';
  readonly stream: string;
  readonly from: number;
  readonly to: number;
}

export interface RangeJob extends EventRange {
  readonly kind: 'range';
  /** The index of its first event among all; null where no tree over all is needed. */
  readonly first: number | null;
}

/** Of one run, or of everything. */
export type Job = RangeJob | StreamJob | { readonly kind: 'audit'; readonly run: string | null };

export interface Tally {
  readonly events: number;
  readonly bytes: number;
  /** How many times an event names a blob. */
  readonly blobs: number;
  /** Events whose type or version this icecore does not know. */
  readonly opaque: number;
}

export const nothingYet: Tally = { events: 0, bytes: 0, blobs: 0, opaque: 0 };

/** How many events, by stream. */
export type Counts = readonly (readonly [stream: string, events: number])[];

export interface Outcome {
  readonly tally: Tally;
  readonly findings: FindingsState;
  /** Its part of the tree over all events. */
  readonly leaves: SpanState | null;
  /** Parts of the trees of sealed attempts. */
  readonly attempts: readonly (readonly [stream: string, part: SpanState])[];
  /** Of sealed attempts: events after the seal. */
  readonly afterSeal: Counts;
  /** Of evidence streams without a seal. */
  readonly unsealed: Counts;
}

export function increase(counts: Map<string, number>, key: string, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** The event before another in its stream. */
export interface Predecessor {
  readonly revision: number;
  /** What its bytes hash to. */
  readonly hashed: string;
  /** What it is said to hash to: another value only where it is damaged, which is its own fault and not its successor's. */
  readonly said: string;
  /** Where it is in the ledger; null where it has just come by, and so is before its successor. */
  readonly cursor: Cursor | null;
}

/** Null: it is missing. `first`: there is none. */
export type Before = Predecessor | null | 'first';

/** More findings than this of one piece are only counted. */
const mostFindings = 200;

export class Piece {
  readonly #tally = { ...nothingYet } as { -readonly [Count in keyof Tally]: number };
  /** Events that could not be read, each a fault already. */
  passedOver = 0;
  readonly #vouchers: Vouchers;
  readonly #findings = new Findings(mostFindings);
  readonly #leaves: Span | null;
  readonly #attempts: [string, Span][] = [];
  readonly #open = new Map<string, Span>();
  readonly #afterSeal = new Map<string, number>();
  readonly #unsealed = new Map<string, number>();
  readonly #opaque = new Set<string>();

  /** `first` is the index of the piece's first event in the tree over everything; null where none is needed. */
  constructor(vouchers: Vouchers, first: number | null) {
    this.#vouchers = vouchers;
    this.#leaves = first === null ? null : new Span(first);
  }

  get events(): number {
    return this.#tally.events;
  }

  count(event: StoredEvent, hashed: string): void {
    this.#tally.events++;
    this.#tally.bytes += Buffer.byteLength(event.body);
    this.#leaves?.add(hashed);
    if (!isChained(event.stream)) this.#evidence(event, hashed);
  }

  countBlobs(more: number): void {
    this.#tally.blobs += more;
  }

  #evidence({ stream, revision }: StoredEvent, hashed: string): void {
    const seal = this.#vouchers.seals.get(stream);
    if (seal === undefined) increase(this.#unsealed, stream);
    else if (revision >= seal.count) increase(this.#afterSeal, stream);
    else {
      let part = this.#open.get(stream);
      if (part?.to !== revision) {
        part = new Span(revision);
        this.#open.set(stream, part);
        this.#attempts.push([stream, part]);
      }
      part.add(hashed);
    }
  }

  /** Whether an event follows the one before it in its stream. */
  continues(event: StoredEvent, previous: string | null, before: Before): void {
    const { stream, revision } = event;
    const place = `${stream}@${revision - 1}`;
    if (before === null) this.fault('missing', place, 'it is not there');
    if (!isChained(stream) || before === 'first') {
      if (previous === null) return;
      const is = isChained(stream) ? 'it is the first of its stream' : 'its stream is not a chain';
      this.fault('chain-broken', event, `${is}, yet it names a previous`);
    } else if (before !== null && previous !== before.hashed && previous !== before.said) {
      this.fault('chain-broken', event, `it continues ${previous}, but ${place} hashes to ${before.hashed}`);
    }
  }

  unreported({ stream, events }: UnreportedEvidence): void {
    const kind = this.#vouchers.sealedStages.has(stageOf(stream) ?? '') ? 'lost-attempt' : 'unsealed';
    const says = `${countedEvents(events)} that no run event reports: nobody reads them, and they do not count`;
    this.add(finding(kind, stream, says));
  }

  opaque(event: StoredEvent, { type, version }: Envelope): void {
    this.#tally.opaque++;
    const kind = `${type} version ${version}`;
    if (this.#opaque.has(kind)) return;
    this.#opaque.add(kind);
    const says = `${kind} is not known here: its bytes were checked, its content was not`;
    this.fault('unknown-type', event, says);
  }

  fault(kind: Finding['kind'], about: StoredEvent | string, says: string): void {
    this.add(finding(kind, about, says));
  }

  add(found: Finding | null): void {
    if (found !== null) this.#findings.add(found);
  }

  outcome(): Outcome {
    return {
      tally: { ...this.#tally },
      findings: this.#findings.toJSON(),
      leaves: this.#leaves?.toJSON() ?? null,
      attempts: this.#attempts.map(([stream, part]) => [stream, part.toJSON()] as const),
      afterSeal: [...this.#afterSeal],
      unsealed: [...this.#unsealed],
    };
  }
}

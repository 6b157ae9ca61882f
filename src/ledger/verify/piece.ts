// What is known so far of the piece of the ledger that is being looked at: how much it was, what was found, and the parts of
// Merkle trees that it contributes.
import type { Envelope } from '../../../schemas/envelope.ts';
import { isChained } from '../../../schemas/streams.ts';
import { placeOf, uuidOf } from '../event.ts';
import { Span } from '../seal/span.ts';
import type { StoredEvent } from '../stored.ts';
import { type FaultKind, type Finding, Findings } from './findings.ts';
import { nothingYet, type Outcome, type Tally } from './jobs.ts';
import type { Predecessor } from './predecessors.ts';
import type { Vouchers } from './vouchers.ts';

/** More findings than this of one piece are only counted. */
const keptFindings = 200;

export class Piece {
  readonly #tally = { ...nothingYet } as { -readonly [Count in keyof Tally]: number };
  #passedOver = 0;
  readonly #vouchers: Vouchers;
  readonly #findings = new Findings(keptFindings);
  readonly #leaves: Span | null;
  readonly #attempts: [string, Span][] = [];
  readonly #open = new Map<string, Span>();
  readonly #behind = new Map<string, number>();
  readonly #unsealed = new Map<string, number>();
  readonly #opaque = new Set<string>();

  /** `first` is the index of the piece's first event in the tree over everything; null where none is asked for. */
  constructor(vouchers: Vouchers, first: number | null) {
    this.#vouchers = vouchers;
    this.#leaves = first === null ? null : new Span(first);
  }

  /** Events that could not be read, each a fault already. */
  get passedOver(): number {
    return this.#passedOver;
  }

  passOver(events: number): void {
    this.#passedOver += events;
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
    else if (revision >= seal.count) increase(this.#behind, stream);
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
  continues(event: StoredEvent, previous: string | null, before: Predecessor | null): void {
    const { stream, revision } = event;
    if (revision > 0 && before === null) this.fault('missing', `${stream}@${revision - 1}`, 'it is not there');
    if (!isChained(stream)) {
      if (previous !== null) this.faultOf(event, 'chain-broken', 'its stream is not a chain, yet it names a previous');
    } else if (revision === 0) {
      if (previous !== null)
        this.faultOf(event, 'chain-broken', 'it is the first of its stream, yet it names a previous');
    } else if (before !== null && previous !== before.hashed && previous !== before.said) {
      const says = `it continues ${previous}, but ${stream}@${revision - 1} hashes to ${before.hashed}`;
      this.faultOf(event, 'chain-broken', says);
    }
  }

  opaque(event: StoredEvent, { type, version }: Envelope): void {
    this.#tally.opaque++;
    if (this.#opaque.has(`${type} ${version}`)) return;
    this.#opaque.add(`${type} ${version}`);
    const says = `${type} version ${version} is not known here: its bytes were checked, its content was not`;
    this.add({ kind: 'unknown-type', where: placeOf(event), event: uuidOf(event), says });
  }

  fault(kind: FaultKind, where: string, says: string): void {
    this.#findings.add({ kind, where, event: null, says });
  }

  faultOf(event: StoredEvent, kind: FaultKind, says: string): void {
    this.#findings.add({ kind, where: placeOf(event), event: uuidOf(event), says });
  }

  add(finding: Finding | null): void {
    if (finding !== null) this.#findings.add(finding);
  }

  outcome(): Outcome {
    return {
      tally: { ...this.#tally },
      findings: this.#findings.toJSON(),
      leaves: this.#leaves?.toJSON() ?? null,
      attempts: this.#attempts.map(([stream, part]) => [stream, part.toJSON()] as const),
      behind: [...this.#behind],
      unsealed: [...this.#unsealed],
    };
  }
}

function increase(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

// The results for the verified events, of one piece or of all pieces so far: their number, the findings, the trees of attempts
// whose seal is not complete yet, and the tree over everything. An account is sent between threads, joined with those of the
// pieces before it, and saved in a file, so that a verification can be resumed.
import { isChained } from '../../../schemas/streams.ts';
import { EvidenceMissing } from '../errors.ts';
import { countedEvents } from '../event.ts';
import type { Ledger, UnreportedEvidence } from '../ledger.ts';
import { Span, type SpanState, treeOf } from '../seal/span.ts';
import type { StoredEvent } from '../stored.ts';
import { type Finding, Findings, type FindingsState, finding, whyUnreadable } from './findings.ts';
import { type Seal, type SealIndex, stageOf } from './seals.ts';

/** The numbers of verified items. */
export interface Tally {
  readonly events: number;
  readonly bytes: number;
  /** The number of references from events to blobs. */
  readonly blobs: number;
  /** Events whose type or version this icecore does not know. */
  readonly opaque: number;
}

/** Numbers of events by stream. */
type Counts = readonly (readonly [stream: string, events: number])[];

export interface AccountState {
  readonly tally: Tally;
  readonly findings: FindingsState;
  readonly leaves: SpanState;
  readonly growing: readonly (readonly [stream: string, part: SpanState])[];
  readonly proven: readonly string[];
  readonly afterSeal: Counts;
  readonly unsealed: Counts;
}

/** The number of findings that are kept; the rest is counted. */
const mostFindings = 1000;

export class Account {
  readonly tally: { -readonly [Count in keyof Tally]: number };
  /** The tree over all events, as long as its parts are consecutive. */
  readonly leaves: Span;
  readonly findings: Findings;
  readonly #growing: Map<string, Span>;
  /** Attempts that were compared with their seals, whatever the result. */
  readonly #proven: Set<string>;
  /** Events after the seal of sealed attempts. */
  readonly #afterSeal: Map<string, number>;
  /** Events of evidence streams without a seal. */
  readonly #unsealed: Map<string, number>;

  /** `first` is the index of its first event in the tree over all. */
  constructor(state: AccountState | null = null, first = 0, most: number = mostFindings) {
    this.tally = { ...(state?.tally ?? { events: 0, bytes: 0, blobs: 0, opaque: 0 }) };
    this.leaves = state === null ? new Span(first) : Span.of(state.leaves);
    this.findings = new Findings(most);
    if (state !== null) this.findings.join(state.findings);
    this.#growing = new Map(state?.growing.map(([stream, part]) => [stream, Span.of(part)]));
    this.#proven = new Set(state?.proven);
    this.#afterSeal = new Map(state?.afterSeal);
    this.#unsealed = new Map(state?.unsealed);
  }

  /** The number of attempts that were compared with their seals. */
  get attempts(): number {
    return this.#proven.size;
  }

  /** Adds the next event of a piece. `hashed` is the hash of its bytes. */
  count({ stream, revision, body }: StoredEvent, hashed: string, { seals }: SealIndex): void {
    this.tally.events++;
    this.tally.bytes += Buffer.byteLength(body);
    if (isChained(stream)) return;
    const seal = seals.get(stream);
    if (seal === undefined) increase(this.#unsealed, stream, 1);
    else if (revision >= seal.count) increase(this.#afterSeal, stream, 1);
    else {
      const known = this.#growing.get(stream);
      // With missing revisions there is no root to compare; `conclude` reads the stream itself.
      const part = known?.to === revision ? known : new Span(revision);
      if (part !== known) this.#growing.set(stream, part);
      part.add(hashed);
    }
  }

  fault(kind: Finding['kind'], about: StoredEvent | string, says: string): void {
    this.findings.add(finding(kind, about, says));
  }

  /** Appends the account of the piece that follows. */
  join(piece: AccountState, { seals }: SealIndex): void {
    for (const name of Object.keys(this.tally) as (keyof Tally)[]) this.tally[name] += piece.tally[name];
    this.findings.join(piece.findings);
    if (piece.leaves.from === this.leaves.to) this.leaves.join(Span.of(piece.leaves));
    for (const [stream, part] of piece.growing) {
      const seal = seals.get(stream);
      if (seal !== undefined) this.#grow(stream, Span.of(part), seal);
    }
    for (const [stream, events] of piece.afterSeal) increase(this.#afterSeal, stream, events);
    for (const [stream, events] of piece.unsealed) increase(this.#unsealed, stream, events);
  }

  #grow(stream: string, part: Span, seal: Seal): void {
    const tree = this.#growing.get(stream) ?? new Span();
    if (part.from === tree.to) tree.join(part);
    this.#growing.set(stream, tree);
    if (tree.to < seal.count) return;
    this.#growing.delete(stream);
    this.#compare(stream, tree, seal);
  }

  #compare(stream: string, tree: Span, { by, count, root }: Seal): void {
    this.#proven.add(stream);
    if (tree.to === count && tree.root() === root) return;
    const what = tree.to === count ? 'other events than it contains now' : `${count} events, ${tree.to} of which exist`;
    this.fault('seal-broken', stream, `${by} sealed ${what}`);
  }

  /** Adds the findings that no single piece could have, when everything has been examined. */
  async conclude({ seals, sealedStages }: SealIndex, ledger: Ledger): Promise<void> {
    for (const [stream, seal] of seals) {
      if (this.#proven.has(stream)) continue;
      try {
        // Its events did not come in order or completely, so only its own stream can decide.
        this.#compare(stream, await treeOf(ledger, { stream, from: 0, to: seal.count - 1 }), seal);
      } catch (error) {
        const kind = error instanceof EvidenceMissing ? 'seal-broken' : 'unreadable';
        this.fault(kind, stream, whyUnreadable(error));
      }
    }
    for (const [stream, events] of this.#afterSeal) {
      const says = `${countedEvents(events)} after the seal of ${seals.get(stream)?.count}: they do not count`;
      this.fault('after-seal', stream, says);
    }
    for (const [stream, events] of this.#unsealed) {
      // It may have been sealed since the interruption.
      if (seals.has(stream)) continue;
      const counted = countedEvents(events);
      if (sealedStages.has(stageOf(stream) ?? ''))
        this.fault('lost-attempt', stream, `${counted} of an attempt that lost: its stage was sealed without it`);
      else this.fault('unsealed', stream, `${counted} without a seal: nothing attests to them yet`);
    }
  }

  /** Evidence that reading the whole ledger does not include. */
  addUnreported({ stream, events }: UnreportedEvidence, { sealedStages }: SealIndex): void {
    const kind = sealedStages.has(stageOf(stream) ?? '') ? 'lost-attempt' : 'unsealed';
    const says = `${countedEvents(events)} that no run event reports: they are not read and do not count`;
    this.fault(kind, stream, says);
  }

  toJSON(): AccountState {
    return {
      tally: { ...this.tally },
      findings: this.findings.toJSON(),
      leaves: this.leaves.toJSON(),
      growing: Array.from(this.#growing, ([stream, tree]) => [stream, tree.toJSON()] as const),
      proven: [...this.#proven],
      afterSeal: [...this.#afterSeal],
      unsealed: [...this.#unsealed],
    };
  }
}

function increase(counts: Map<string, number>, stream: string, by: number): void {
  counts.set(stream, (counts.get(stream) ?? 0) + by);
}

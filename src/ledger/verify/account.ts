// What a verification knows after the pieces examined so far: counts, findings, the trees of attempts not yet at their
// seal's end, the tree over everything. It goes to JSON and back, so that a verification can be resumed.
import { EvidenceMissing } from '../errors.ts';
import { countedEvents } from '../event.ts';
import type { Ledger } from '../ledger.ts';
import { Span, type SpanState, treeOf } from '../seal/span.ts';
import { Findings, type FindingsState, finding, whyUnreadable } from './findings.ts';
import { type Counts, increase, type Job, nothingYet, type Outcome, type Tally } from './piece.ts';
import { type Seal, stageOf, type Vouchers } from './vouchers.ts';

/** As many are shown; the rest is counted. */
const mostFindings = 1000;

export interface AccountState {
  readonly tally: Tally;
  readonly findings: FindingsState;
  readonly leaves: SpanState;
  readonly growing: readonly (readonly [stream: string, part: SpanState])[];
  readonly proven: readonly string[];
  readonly afterSeal: Counts;
  readonly unsealed: Counts;
}

export class Account {
  #tally: Tally;
  /** The tree over all events, as far as its parts followed each other. */
  readonly leaves: Span;
  readonly findings = new Findings(mostFindings);
  readonly #growing: Map<string, Span>;
  /** Attempts that were compared with their seals, whatever came of it. */
  readonly #proven: Set<string>;
  readonly #afterSeal: Map<string, number>;
  readonly #unsealed: Map<string, number>;

  constructor(state: AccountState | null = null) {
    this.#tally = state?.tally ?? nothingYet;
    this.leaves = state === null ? new Span() : Span.of(state.leaves);
    if (state !== null) this.findings.join(state.findings);
    this.#growing = new Map(state?.growing.map(([stream, part]) => [stream, Span.of(part)]));
    this.#proven = new Set(state?.proven);
    this.#afterSeal = new Map(state?.afterSeal);
    this.#unsealed = new Map(state?.unsealed);
  }

  get tally(): Tally {
    return this.#tally;
  }

  /** How many attempts were compared with their seals. */
  get attempts(): number {
    return this.#proven.size;
  }

  take(job: Job, { tally, findings, leaves, attempts, afterSeal, unsealed }: Outcome, { seals }: Vouchers): void {
    this.#tally = {
      events: this.#tally.events + tally.events,
      bytes: this.#tally.bytes + tally.bytes,
      blobs: this.#tally.blobs + tally.blobs,
      opaque: this.#tally.opaque + tally.opaque,
    };
    this.findings.join(findings);
    if (job.kind === 'range' && leaves !== null && leaves.from === this.leaves.to) this.leaves.join(Span.of(leaves));
    for (const [stream, part] of attempts) {
      const seal = seals.get(stream);
      if (seal !== undefined) this.#grow(stream, Span.of(part), seal);
    }
    for (const [stream, events] of afterSeal) increase(this.#afterSeal, stream, events);
    for (const [stream, events] of unsealed) increase(this.#unsealed, stream, events);
  }

  #grow(stream: string, part: Span, seal: Seal): void {
    const tree = this.#growing.get(stream) ?? new Span();
    // Where revisions are missing, that has been found already, and there is no root to compare.
    if (part.from === tree.to) tree.join(part);
    this.#growing.set(stream, tree);
    if (tree.to < seal.count) return;
    this.#growing.delete(stream);
    this.#compare(stream, tree, seal);
  }

  #compare(stream: string, tree: Span, { by, count, root }: Seal): void {
    this.#proven.add(stream);
    if (tree.to === count && tree.root() === root) return;
    const what =
      tree.to === count ? 'other events than are there now' : `${count} events, ${tree.to} of which are there`;
    this.findings.add(finding('seal-broken', stream, `${by} sealed ${what}`));
  }

  /** When everything has been examined: what no single piece could tell. */
  async conclude({ seals, sealedStages }: Vouchers, ledger: Ledger): Promise<void> {
    for (const [stream, seal] of seals) {
      if (this.#proven.has(stream)) continue;
      try {
        // It did not come in the order of its revisions, or not whole: only its own stream can tell.
        this.#compare(stream, await treeOf(ledger, { stream, from: 0, to: seal.count - 1 }), seal);
      } catch (error) {
        const kind = error instanceof EvidenceMissing ? 'seal-broken' : 'unreadable';
        this.findings.add(finding(kind, stream, whyUnreadable(error)));
      }
    }
    for (const [stream, events] of this.#afterSeal) {
      const says = `${countedEvents(events)} after the seal of ${seals.get(stream)?.count}: they do not count`;
      this.findings.add(finding('after-seal', stream, says));
    }
    for (const [stream, events] of this.#unsealed) {
      // It may have been sealed since an interruption.
      if (seals.has(stream)) continue;
      const counted = countedEvents(events);
      const found = sealedStages.has(stageOf(stream) ?? '')
        ? finding('lost-attempt', stream, `${counted} of an attempt that lost: its stage was sealed without it`)
        : finding('unsealed', stream, `${counted} without a seal: nothing vouches for them yet`);
      this.findings.add(found);
    }
  }

  toJSON(): AccountState {
    return {
      tally: this.#tally,
      findings: this.findings.toJSON(),
      leaves: this.leaves.toJSON(),
      growing: Array.from(this.#growing, ([stream, tree]) => [stream, tree.toJSON()] as const),
      proven: [...this.#proven],
      afterSeal: [...this.#afterSeal],
      unsealed: [...this.#unsealed],
    };
  }
}

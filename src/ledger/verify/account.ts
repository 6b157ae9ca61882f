// What a verification knows after the pieces looked at so far: counts, findings, the trees of attempts not yet at their
// seal's end, the tree over everything. It goes to JSON and back, so that a verification can be taken up again.
import { countedEvents } from '../counted.ts';
import type { Ledger } from '../ledger.ts';
import { Span, type SpanState } from '../seal/span.ts';
import { treeOf } from '../seal/tree.ts';
import { Findings, type FindingsState, whyUnreadable } from './findings.ts';
import { type Job, nothingYet, type Outcome, sum, type Tally } from './jobs.ts';
import { type Seal, stageOf, type Vouchers } from './vouchers.ts';

/** As many are shown; the rest is counted. */
const keptFindings = 1000;

export interface AccountState {
  readonly tally: Tally;
  readonly findings: FindingsState;
  readonly leaves: SpanState;
  readonly growing: readonly (readonly [stream: string, part: SpanState])[];
  readonly proven: readonly string[];
  readonly behind: readonly (readonly [stream: string, events: number])[];
  readonly unsealed: readonly (readonly [stream: string, events: number])[];
}

export class Account {
  #tally: Tally;
  #leaves: Span;
  readonly findings = new Findings(keptFindings);
  readonly #growing: Map<string, Span>;
  /** Attempts whose seal has been held against them, whatever came of it. */
  readonly #proven: Set<string>;
  readonly #behind: Map<string, number>;
  readonly #unsealed: Map<string, number>;

  constructor(state: AccountState | null = null) {
    this.#tally = state?.tally ?? nothingYet;
    this.#leaves = state === null ? new Span() : Span.of(state.leaves);
    if (state !== null) this.findings.join(state.findings);
    this.#growing = new Map(state?.growing.map(([stream, part]) => [stream, Span.of(part)]));
    this.#proven = new Set(state?.proven);
    this.#behind = new Map(state?.behind);
    this.#unsealed = new Map(state?.unsealed);
  }

  get tally(): Tally {
    return this.#tally;
  }

  /** How many attempts' seals were held against them. */
  get attempts(): number {
    return this.#proven.size;
  }

  /** The tree over all events, as far as its parts followed each other. */
  get leaves(): Span {
    return this.#leaves;
  }

  take(job: Job, outcome: Outcome, { seals }: Vouchers): void {
    this.#tally = sum(this.#tally, outcome.tally);
    this.findings.join(outcome.findings);
    const { leaves } = outcome;
    if (job.kind === 'range' && leaves !== null && leaves.from === this.#leaves.to) this.#leaves.join(Span.of(leaves));
    for (const [stream, part] of outcome.attempts) {
      const seal = seals.get(stream);
      if (seal !== undefined) this.#grow(stream, Span.of(part), seal);
    }
    for (const [stream, events] of outcome.behind) this.#behind.set(stream, (this.#behind.get(stream) ?? 0) + events);
    for (const [stream, events] of outcome.unsealed) {
      this.#unsealed.set(stream, (this.#unsealed.get(stream) ?? 0) + events);
    }
  }

  #grow(stream: string, part: Span, seal: Seal): void {
    const tree = this.#growing.get(stream) ?? new Span();
    // Where revisions are missing, that has been found already, and no root can be had.
    if (part.from === tree.to) tree.join(part);
    this.#growing.set(stream, tree);
    if (tree.to < seal.count) return;
    this.#growing.delete(stream);
    this.#proven.add(stream);
    if (tree.root() !== seal.root) this.#broken(stream, seal, 'other events than are there now');
  }

  /** When everything has been looked at: what no single piece could tell. */
  async conclude({ seals, sealedStages }: Vouchers, ledger: Ledger): Promise<void> {
    for (const [stream, seal] of seals) {
      if (this.#proven.has(stream)) continue;
      try {
        await this.#unproven(stream, seal, ledger);
      } catch (error) {
        this.findings.add({ kind: 'unreadable', where: stream, event: null, says: whyUnreadable(error) });
      }
    }
    for (const [stream, events] of this.#behind) {
      const says = `${countedEvents(events)} behind the seal of ${seals.get(stream)?.count}: they do not count`;
      this.findings.add({ kind: 'after-seal', where: stream, event: null, says });
    }
    for (const [stream, events] of this.#unsealed) {
      // It may have been sealed since an interruption.
      if (!seals.has(stream)) this.#withoutSeal(stream, events, sealedStages);
    }
  }

  /** An attempt that did not come in the order of its revisions, or not whole: only its own stream can tell. */
  async #unproven(stream: string, seal: Seal, ledger: Ledger): Promise<void> {
    const tree = await treeOf(ledger, { stream, from: 0, to: seal.count - 1 });
    this.#proven.add(stream);
    if (tree.to !== seal.count) this.#broken(stream, seal, `${seal.count} events, ${tree.to} of which are there`);
    else if (tree.root() !== seal.root) this.#broken(stream, seal, 'other events than are there now');
  }

  #withoutSeal(stream: string, events: number, sealedStages: ReadonlySet<string>): void {
    const lost = sealedStages.has(stageOf(stream) ?? '');
    const says = lost
      ? `${countedEvents(events)} of an attempt that lost: its stage was sealed without it`
      : `${countedEvents(events)} without a seal: nothing vouches for them yet`;
    this.findings.add({ kind: lost ? 'lost-attempt' : 'unsealed', where: stream, event: null, says });
  }

  #broken(stream: string, { by }: Seal, what: string): void {
    this.findings.add({ kind: 'seal-broken', where: stream, event: null, says: `${by} sealed ${what}` });
  }

  toJSON(): AccountState {
    return {
      tally: this.#tally,
      findings: this.findings.toJSON(),
      leaves: this.#leaves.toJSON(),
      growing: Array.from(this.#growing, ([stream, tree]) => [stream, tree.toJSON()] as const),
      proven: [...this.#proven],
      behind: [...this.#behind],
      unsealed: [...this.#unsealed],
    };
  }
}

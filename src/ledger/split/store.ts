// A ledger in two stores: run events in one, and the evidence, which is much larger, in the other. Readers find evidence through
// the run events that report it, so a split ledger has one order, that of its run events.
import type { NewEvent } from '../../../schemas/envelope.ts';
import { unsupportedByStore } from '../errors.ts';
import type { Cursor, CursorOrder } from '../event.ts';
import {
  type Appended,
  type AppendOptions,
  type AuditOptions,
  type Capabilities,
  type Delivery,
  type DigestsOf,
  digestsByReading,
  type EventRange,
  type Head,
  type Ledger,
  type ReadAllOptions,
  type ReadOptions,
  type Replicated,
  type StoreFault,
  type StreamEnd,
  type SubscribeOptions,
  type UnreportedEvidence,
} from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { auditBoth } from './audit.ts';
import { publishSeals } from './evidence.ts';
import { partOf, Store } from './parts.ts';
import { allEvents, Reading, type Stores } from './reading.ts';
import { Reports } from './reports.ts';

export class SplitLedger implements Ledger {
  readonly id: string;
  readonly url: string;
  readonly #decisions: Ledger;
  readonly #stores: Stores;
  readonly #reports: Reports;
  readonly #reading: Reading;
  /** The last revision of the attempts that this process writes. */
  readonly #own = new Map<string, number>();

  /** Both have the same id. */
  constructor(decisions: Ledger, evidence: Store) {
    this.id = decisions.id;
    this.url = `split:${decisions.url}+${evidence.url}`;
    this.#decisions = decisions;
    this.#stores = { decisions: Store.of('decisions', decisions), evidence };
    this.#reports = new Reports(decisions, this.#stores.decisions, this.url);
    this.#reading = new Reading(this.#stores, this.#reports);
  }

  /** Until evidence is open, it is assumed to have the capabilities of the store of run events; unsupported calls are refused. */
  get capabilities(): Capabilities {
    const run = this.#decisions.capabilities;
    const evidence = this.#stores.evidence.ledger?.capabilities ?? run;
    return {
      totalOrder: false,
      attempts: 'reported',
      atomicReplicate: false,
      backwards: run.backwards,
      findById: false,
      // Neither store knows the ids of the other.
      ids: 'stream',
      fairWriters: run.fairWriters && evidence.fairWriters,
      maxEventBytes: Math.min(run.maxEventBytes, evidence.maxEventBytes),
    };
  }

  async append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended> {
    if (partOf(stream) === 'evidence') return await this.#appendEvidence(stream, events, options);
    const appended = await this.#stores.decisions.ask((ledger) => ledger.append(stream, events, options));
    if (events.some(({ type }) => type === 'EvidenceSealed')) await this.publishSeals();
    return appended;
  }

  /** Opening for writing does this too, since the last writer may have been killed before. */
  publishSeals(): Promise<void> {
    return publishSeals(this.#decisions, this.#stores.evidence.ledger, this.#reports);
  }

  /** Unreported evidence has no place in the order of the ledger. */
  async #appendEvidence(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended> {
    if (options.expect !== 'any')
      throw unsupportedByStore(this.url, 'check the expected end of an evidence stream: expect `any`');
    const appended = await this.#stores.evidence.ask((ledger) => ledger.append(stream, events, options));
    this.#noteOwn(stream, appended.revision);
    return { ...appended, cursor: this.#reports.beginning };
  }

  #noteOwn(stream: string, revision: number): void {
    this.#own.set(stream, Math.max(revision, this.#own.get(stream) ?? -1));
  }

  async *read(stream: string, options: ReadOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    if (partOf(stream) === 'decisions') {
      yield* this.#stores.decisions.pages((ledger) => ledger.read(stream, options));
      return;
    }
    await this.#reports.refresh();
    const attempt = this.#reports.attempt(stream);
    // Without a report, only this process knows what it has written.
    const last = attempt === null ? (this.#own.get(stream) ?? -1) : attempt.count - 1;
    const { from = 0, to = last, backwards = false, limit = Number.POSITIVE_INFINITY } = options;
    const end = Math.min(to, last, backwards ? last : from + limit - 1);
    const begin = Math.max(from, backwards ? end - limit + 1 : from);
    if (begin > end) return;
    if (attempt !== null) yield* this.#reading.attempt(attempt, begin, end, backwards);
    else yield* this.#readOwn(stream, begin, end, backwards);
  }

  async *#readOwn(stream: string, from: number, to: number, backwards: boolean): AsyncGenerator<StoredEvent[]> {
    const all: StoredEvent[] = [];
    for await (const events of this.#stores.evidence.pages((ledger) => ledger.read(stream, { from, to }))) {
      const own = events.map((event) => event.at(this.#reports.beginning));
      if (backwards) all.push(...own);
      else yield own;
    }
    if (all.length > 0) yield all.reverse();
  }

  readAll(options: ReadAllOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    return this.#reading.all(options, this.capabilities.backwards);
  }

  subscribe(options: SubscribeOptions = {}): AsyncGenerator<Delivery> {
    return this.#reading.live(options);
  }

  /**
   * Stores the evidence first: an interruption leaves unreported evidence, and never a report without its evidence. All or none
   * applies to each store separately.
   */
  async replicate(events: readonly StoredEvent[], signal?: AbortSignal): Promise<Replicated> {
    const evidence = events.filter(({ stream }) => partOf(stream) === 'evidence');
    const run = events.filter(({ stream }) => partOf(stream) === 'decisions');
    let existed = 0;
    if (evidence.length > 0) {
      existed += (await this.#stores.evidence.ask((ledger) => ledger.replicate(evidence, signal))).existed;
      for (const { stream, revision } of evidence) this.#noteOwn(stream, revision);
    }
    if (run.length === 0) return { existed, cursor: this.#reports.beginning };
    const done = await this.#stores.decisions.ask((ledger) => ledger.replicate(run, signal));
    if (run.some(({ type }) => type === 'EvidenceSealed')) await this.publishSeals();
    return { existed: existed + done.existed, cursor: done.cursor };
  }

  async *streams(prefix = ''): AsyncGenerator<readonly StreamEnd[]> {
    await this.#reports.refresh();
    let evidence: readonly StreamEnd[] = Array.from(this.#reports.attempts, (attempt) => {
      const { stream, count } = attempt;
      return { stream, revision: count - 1, cursor: this.#reports.within(attempt, count) };
    })
      .filter(({ stream }) => stream.startsWith(prefix))
      .sort((a, b) => (a.stream < b.stream ? -1 : 1));
    const pages = this.#stores.decisions.pages((ledger) => ledger.streams(prefix));
    for await (const run of prefix.startsWith('evidence-') ? [] : pages) {
      const later = run.findIndex(({ stream }) => stream > 'evidence-');
      yield later < 0 ? run : [...run.slice(0, later), ...evidence, ...run.slice(later)];
      if (later >= 0) evidence = [];
    }
    if (evidence.length > 0) yield evidence;
  }

  /** Whole attempts, and the events of reported attempts beyond the reported count. */
  async *unreported(): AsyncGenerator<readonly UnreportedEvidence[]> {
    await this.#reports.refresh();
    for await (const page of this.#stores.evidence.pages((ledger) => ledger.streams('evidence-'))) {
      const left = page.map(({ stream, revision }) => {
        return { stream, events: revision + 1 - (this.#reports.attempt(stream)?.count ?? 0) };
      });
      yield left.filter(({ events }) => events > 0);
    }
  }

  /** Reading several attempts together costs less than reading the digests of each. */
  digests(of: DigestsOf): AsyncIterable<string> {
    const isOfDecisions = 'stream' in of && partOf(of.stream) === 'decisions';
    return isOfDecisions ? this.#stores.decisions.pages((ledger) => ledger.digests(of)) : digestsByReading(this, of);
  }

  async ranges(events: number, span: Pick<ReadAllOptions, 'after' | 'until'> = {}): Promise<readonly EventRange[]> {
    const ranges: EventRange[] = [];
    let open: EventRange | null = null;
    let after = span.after ?? null;
    const add = (until: Cursor, count: number): void => {
      if (open !== null && open.events + count > events) {
        ranges.push(open);
        after = open.until;
        open = null;
      }
      open = { after, until, events: (open?.events ?? 0) + count };
    };
    for await (const step of this.#reading.steps(allEvents, span)) {
      if (step.kind === 'run') {
        for (const { cursor } of step.events) add(cursor, 1);
      } else {
        for (let next = step.from; next <= step.to; next += events) {
          const end = Math.min(next + events, step.to + 1);
          add(this.#reports.within(step.attempt, end), end - next);
        }
      }
    }
    return open === null ? ranges : [...ranges, open];
  }

  audit(options: AuditOptions = {}): AsyncGenerator<StoreFault> {
    return auditBoth(this.#stores, this.#reports, options);
  }

  foreign(stream: string): Promise<ReadonlySet<number>> {
    return this.#stores[partOf(stream)].ask(async (ledger) => (await ledger.foreign?.(stream)) ?? new Set());
  }

  /** Evidence is found through the tables. */
  async find(id: string, limit = 2): Promise<readonly StoredEvent[]> {
    return await this.#stores.decisions.ask((ledger) => ledger.find(id, limit));
  }

  head(): Promise<Head> {
    return this.#reports.refresh();
  }

  compareCursors(a: Cursor, b: Cursor): CursorOrder {
    return this.#reports.compare(this.#reports.read(a), this.#reports.read(b));
  }

  async close(): Promise<void> {
    await Promise.all([this.#stores.decisions.close(), this.#stores.evidence.close()]);
  }
}

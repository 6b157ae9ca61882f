// Reads a split ledger in one order: run events in the order of their store, each followed by the events of the attempts that it
// reports. Evidence without a report is not read, and the order does not depend on clocks.

import { parseStream, streamOf } from '../../../schemas/streams.ts';
import { EvidenceMissing, LedgerClosed, unsupportedByStore } from '../errors.ts';
import { type Cursor, placeOf } from '../event.ts';
import { type Delivery, eventAt, type Ledger, type ReadAllOptions, type SubscribeOptions } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { merged } from '../turns.ts';
import { type AttemptPage, readAttempts } from './evidence.ts';
import { type Filter, filterFor, type Store } from './parts.ts';
import { type Attempt, beginning, type Place, type Report, type Reports, reportingTypes } from './reports.ts';

/** A step of reading: run events, or revisions of an attempt, both ends inclusive, that one of them reports. */
export type Step =
  | { readonly kind: 'run'; readonly events: readonly StoredEvent[] }
  | { readonly kind: 'evidence'; readonly attempt: Attempt; readonly from: number; readonly to: number };

type EvidenceStep = Extract<Step, { kind: 'evidence' }>;
type Steps = AsyncIterable<Step> | Iterable<Step>;

export interface Stores {
  readonly decisions: Store;
  readonly evidence: Store;
}

type Span = Pick<ReadAllOptions, 'after' | 'until'>;

type Pages = AsyncGenerator<readonly StoredEvent[]>;

/** The number of evidence events that are read together, and the number of characters of run events between them. */
const groupEvents = 40_000;
const groupCharacters = 4_000_000;
/** The page size for reading an attempt backwards. */
const pageEvents = 1_000;

export class Reading {
  readonly #stores: Stores;
  readonly #reports: Reports;

  constructor(stores: Stores, reports: Reports) {
    this.#stores = stores;
    this.#reports = reports;
  }

  async *all({ limit = Number.POSITIVE_INFINITY, ...options }: ReadAllOptions, canGoBack: boolean): Pages {
    const { backwards = false } = options;
    if (backwards && !canGoBack) throw unsupportedByStore(this.#reports.url, 'read backwards');
    const query = new Query(options);
    let left = limit;
    if (left <= 0) return;
    const read = backwards
      ? this.#allBackwards(query, options, limit)
      : this.#events(this.steps(query, options, limit), query);
    for await (const events of read) {
      yield events.slice(0, left);
      left -= events.length;
      if (left <= 0) return;
    }
  }

  /** Revisions of an attempt, both ends inclusive. Throws EvidenceMissing after the existing ones. */
  attempt(attempt: Attempt, from: number, to: number, backwards = false): Pages {
    const step: Step = { kind: 'evidence', attempt, from, to };
    return backwards ? this.#backwards(step, allEvents) : this.#events([step], allEvents);
  }

  /** Many attempts are read together, which is faster in a store without an index of streams. */
  async *#events(steps: Steps, query: Query): Pages {
    for await (const group of groupsOf(steps)) {
      const ranges = group
        .filter((step) => step.kind === 'evidence')
        .map(({ attempt, from, to }) => ({ ...attempt, from, to }));
      const pages = readAttempts(this.#stores.evidence, ranges);
      try {
        for (const step of group) {
          if (step.kind === 'run') yield step.events;
          else yield* this.#nextAttempt(step, pages, query);
        }
      } finally {
        await pages.return(undefined);
      }
    }
  }

  async *#nextAttempt({ attempt, from, to }: EvidenceStep, pages: AsyncGenerator<AttemptPage>, query: Query): Pages {
    let left = to - from + 1;
    let stranded = 0;
    try {
      for (let isLast = false; !isLast; ) {
        const { done, value } = await pages.next();
        if (done === true) break;
        ({ isLast } = value);
        left -= value.events.length;
        const events = value.events.filter(({ type }) => query.takesType(type));
        const placed = events.map((event) => event.at(this.#reports.within(attempt, event.revision + 1)));
        if (placed.length > 0) yield placed;
      }
    } catch (error) {
      // The cursor of a part is not a cursor of the whole ledger.
      if (!(error instanceof EvidenceMissing)) throw error;
      stranded = error.unread;
    }
    if (left === 0) return;
    const missing = Math.max(1, left - stranded);
    const unread = left - missing;
    const { stream, count, report } = attempt;
    const by = placeOf(report);
    const more = unread === 0 ? '' : `, and ${unread} after them cannot be read without them`;
    const what = `${stream} lacks ${missing} of the ${count} events that ${by} reports${more}`;
    const past = this.#reports.within(attempt, to + 1);
    throw new EvidenceMissing(what, { url: this.#stores.evidence.url, stream, count, missing, unread, by, past });
  }

  async *#backwards({ attempt, from, to }: EvidenceStep, query: Query): Pages {
    for (let last = to; last >= from; last -= pageEvents) {
      const events: StoredEvent[] = [];
      const first = Math.max(from, last - pageEvents + 1);
      for await (const page of this.#events([{ kind: 'evidence', attempt, from: first, to: last }], query))
        events.push(...page);
      if (events.length > 0) yield events.reverse();
    }
  }

  /** From after one place up to another; without a place, up to the current end. */
  async *steps(query: Query, span: Span, limit = Number.POSITIVE_INFINITY): AsyncGenerator<Step> {
    const { cursor: head } = query.evidence === null ? { cursor: undefined } : await this.#reports.refresh();
    const start = this.#placeAt(query, span.after);
    const until = span.until ?? head;
    const end = this.#placeAt(query, until);
    const order = until === undefined ? 'before' : this.#reports.compare(start, end);
    if (order === 'equal' || (order === 'after' && span.until !== undefined)) return;
    // In a store that serves others too, a subscription reaches places after the head. Other stores refuse them.
    const run = order === 'after' ? null : end.run;
    const last = run === null ? null : this.#reports.at(run);
    const stop = (report: Report): number => (report === last ? end.events : report.events);
    yield* this.#stepsAfter(start, query, stop);
    const range = { after: start.run ?? undefined, until: run ?? undefined };
    for await (const page of this.#pages(query, range, limit)) yield* this.#stepsIn(page, query, stop);
  }

  async *#allBackwards(query: Query, span: Span, limit: number): Pages {
    await this.#reports.refresh();
    const start = this.#reports.placeAt(span.after);
    if (span.after !== undefined && start.run === null) return;
    const report = start.run === null || start.events === 0 ? null : this.#reports.at(start.run);
    if (report !== null) {
      const steps = [...within(report, 0, start.events - 1, query)];
      for (const step of steps.reverse()) yield* this.#backwards(step, query);
      const event = await this.#stores.decisions.ask((ledger) => eventAt(ledger, report));
      if (event !== null && query.takes(event)) yield [event];
    }
    for await (const page of this.#pages(query, { after: start.run ?? undefined, backwards: true }, limit)) {
      const steps: Step[] = [];
      for await (const step of this.#stepsIn(page.toReversed(), query)) steps.push(step);
      for (const step of steps.reverse()) {
        if (step.kind === 'evidence') yield* this.#backwards(step, query);
        else yield step.events.toReversed();
      }
    }
  }

  async *#pages(query: Query, range: ReadAllOptions, limit: number): Pages {
    const { feed } = query;
    if (feed === null) return;
    const most = query.evidence === null && Number.isFinite(limit) ? { limit } : {};
    yield* this.#stores.decisions.pages((ledger) => ledger.readAll({ ...feed, ...range, ...most }));
  }

  /** Without evidence, a place within evidence is equivalent to that of the run event that reports it. */
  #placeAt(query: Query, cursor: Cursor | undefined): Place {
    if (query.evidence !== null) return this.#reports.placeAt(cursor);
    return cursor === undefined ? beginning : this.#reports.read(cursor);
  }

  /** The rest of the evidence that the run event at a place reports. */
  *#stepsAfter({ run, events }: Place, query: Query, stop = ({ events }: Report): number => events): Generator<Step> {
    const report = query.evidence === null || run === null ? null : this.#reports.at(run);
    if (report !== null) yield* within(report, events, stop(report), query);
  }

  async *#stepsIn(
    page: readonly StoredEvent[],
    query: Query,
    stop = ({ events }: Report): number => events,
  ): AsyncGenerator<Step> {
    let events: StoredEvent[] = [];
    for (const event of page) {
      if (query.takes(event)) events.push(event);
      const report = query.evidence === null ? null : await this.#reports.by(event);
      if (report === null) continue;
      if (events.length > 0) yield { kind: 'run', events };
      events = [];
      yield* within(report, 0, stop(report), query);
    }
    if (events.length > 0) yield { kind: 'run', events };
  }

  async *live({ after: cursor, signal, unsealed = false, ...options }: SubscribeOptions): AsyncGenerator<Delivery> {
    if (signal?.aborted === true) return;
    const left = new AbortController();
    const stop = signal === undefined ? left.signal : AbortSignal.any([left.signal, signal]);
    const query = new Query(options);
    const reported = this.#reported(query, cursor, stop);
    const deliveries =
      unsealed && query.evidence !== null ? merged([reported, this.#arriving(query.evidence, stop)], stop) : reported;
    try {
      let reached = cursor ?? this.#reports.beginning;
      for await (const delivery of deliveries) {
        if (delivery.kind !== 'unsealed') reached = delivery.cursor;
        yield delivery.kind === 'unsealed' ? { ...delivery, cursor: reached } : delivery;
        if (stop.aborted) return;
      }
    } catch (error) {
      // Closing the ledger ends its subscriptions without an error.
      if (!(error instanceof LedgerClosed || stop.aborted)) throw error;
    } finally {
      left.abort();
    }
  }

  async *#reported(query: Query, cursor: Cursor | undefined, signal: AbortSignal): AsyncGenerator<Delivery> {
    await this.#reports.refresh();
    const start = this.#placeAt(query, cursor);
    yield* this.#deliveries(this.#stepsAfter(start, query), query);
    const options = { ...(query.feed ?? { types: [] }), after: start.run ?? undefined, signal };
    for await (const delivery of this.#stores.decisions.pages((ledger) => ledger.subscribe(options))) {
      if (delivery.kind === 'events') yield* this.#deliveries(this.#stepsIn(delivery.events, query), query);
      else yield { kind: 'caught-up', cursor: await this.#reports.reached(delivery.cursor) };
    }
  }

  async *#deliveries(steps: Steps, query: Query): AsyncGenerator<Delivery> {
    for await (const events of this.#events(steps, query))
      yield { kind: 'events', events, cursor: (events.at(-1) as StoredEvent).cursor };
  }

  /** New evidence as it arrives, from attempts that no run event has reported yet. */
  async *#arriving(filter: Filter, signal: AbortSignal): AsyncGenerator<Delivery> {
    const { cursor: start } = await this.#stores.evidence.ask((ledger) => ledger.head());
    const follow = (ledger: Ledger): AsyncIterable<Delivery> => ledger.subscribe({ ...filter, after: start, signal });
    for await (const delivery of this.#stores.evidence.pages(follow)) {
      if (delivery.kind !== 'events') continue;
      const fresh = delivery.events.filter(({ stream }) => this.#reports.attempt(stream) === null);
      const events = fresh.map((event) => event.at(this.#reports.beginning));
      if (events.length > 0) yield { kind: 'unsealed', events, cursor: '' };
    }
  }
}

/** The requested events, and in which part they are. */
export class Query {
  readonly evidence: Filter | null;
  readonly #run: Filter | null;
  readonly #types: ReadonlySet<string> | null;
  readonly #streams: ReadonlySet<string> | null;

  constructor(filter: Filter) {
    this.#run = filterFor('decisions', filter);
    this.evidence = filterFor('evidence', filter);
    this.#types = filter.types === undefined ? null : new Set(filter.types);
    this.#streams = filter.streams === undefined ? null : new Set(filter.streams);
  }

  takesType(type: string): boolean {
    return this.#types?.has(type) ?? true;
  }

  takesStream(stream: string): boolean {
    return this.#streams?.has(stream) ?? true;
  }

  takes({ type, stream }: StoredEvent): boolean {
    return this.takesType(type) && this.takesStream(stream);
  }

  /** The run events to read: requested ones, and those that report requested evidence. Null: none. */
  get feed(): Filter | null {
    const run = this.#run;
    if (this.evidence === null) return run;
    const types = run === null ? reportingTypes : run.types && [...new Set([...run.types, ...reportingTypes])];
    const streams = this.evidence.streams?.flatMap(reportersOf).concat(run?.streams ?? []);
    return { types, streams: streams && [...new Set(streams)] };
  }
}

export const allEvents = new Query({});

/** The streams that may report an attempt. */
function reportersOf(stream: string): readonly string[] {
  const name = parseStream(stream);
  return name?.category === 'evidence'
    ? [streamOf.work(name.run), streamOf.run(name.run), streamOf.ablation(name.run)]
    : [];
}

/** The steps for a report, from one of its events to before another. */
function* within(report: Report, from: number, to: number, query: Query): Generator<EvidenceStep> {
  for (const attempt of report.attempts) {
    const first = Math.max(0, from - attempt.offset);
    const last = Math.min(attempt.count, to - attempt.offset) - 1;
    if (first <= last && query.takesStream(attempt.stream)) yield { kind: 'evidence', attempt, from: first, to: last };
  }
}

/** An attempt that is larger than a group is one by itself. */
async function* groupsOf(steps: Steps): AsyncGenerator<readonly Step[]> {
  let group: Step[] = [];
  let [events, characters] = [0, 0];
  for await (const step of steps) {
    const more = step.kind === 'evidence' ? step.to - step.from + 1 : 0;
    if (group.length > 0 && (events + more > groupEvents || characters > groupCharacters)) {
      yield group;
      group = [];
      [events, characters] = [0, 0];
    }
    group.push(step);
    events += more;
    if (step.kind === 'run') characters += step.events.reduce((sum, { body }) => sum + body.length, 0);
  }
  if (group.length > 0) yield group;
}

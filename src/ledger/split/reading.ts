// The whole of a split ledger in one order: run events as their store has them, and after each that reports attempts, the events of
// these. What is in the evidence and not reported is not read; no clock decides anything.

import { parseStream, streamOf } from '../../../schemas/streams.ts';
import { EvidenceMissing, LedgerClosed, UnsupportedByStore } from '../errors.ts';
import type { Cursor } from '../event.ts';
import { type Delivery, eventAt, type Ledger, type ReadAllOptions, type SubscribeOptions } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { type AttemptPage, type AttemptStore, isAttemptStore } from './attempt-store.ts';
import { beginning, type Cursors, type Place } from './cursors.ts';
import { missingOf } from './errors.ts';
import { type Filter, filterFor, type Store } from './parts.ts';
import { type Attempt, type Report, type Reports, reportingTypes } from './reports.ts';

/** A step on the way through the ledger: run events, or some of the evidence that one of them reports. */
export type Step =
  | { readonly kind: 'run'; readonly events: readonly StoredEvent[] }
  | { readonly kind: 'evidence'; readonly report: Report; readonly from: number; readonly to: number };

export interface Stores {
  readonly decisions: Store;
  readonly evidence: Store;
}

type Span = Pick<ReadAllOptions, 'after' | 'until'>;

type Pages = AsyncGenerator<readonly StoredEvent[]>;

export class Reading {
  readonly #stores: Stores;
  readonly #cursors: Cursors;
  readonly #reports: Reports;
  readonly #url: string;

  constructor(stores: Stores, cursors: Cursors, reports: Reports, url: string) {
    this.#stores = stores;
    this.#cursors = cursors;
    this.#reports = reports;
    this.#url = url;
  }

  async *ofAll({ limit = Number.POSITIVE_INFINITY, ...options }: ReadAllOptions, canGoBack: boolean): Pages {
    const { backwards = false } = options;
    if (backwards && !canGoBack) throw new UnsupportedByStore(this.#url, 'read backwards');
    const wanted = new Wanted(options);
    let left = limit;
    if (left <= 0) return;
    const steps = backwards ? this.#back(wanted, options, limit) : this.steps(wanted, options, limit);
    for await (const events of backwards ? this.#oneByOne(steps, wanted, true) : this.#inGroups(steps, wanted)) {
      const some = events.length > left ? events.slice(0, left) : events;
      if (some.length > 0) yield some;
      left -= some.length;
      if (left <= 0) return;
    }
  }

  async *#oneByOne(steps: AsyncIterable<Step> | Iterable<Step>, wanted: Wanted, backwards = false): Pages {
    for await (const step of steps) yield* this.#eventsOf(step, wanted, backwards);
  }

  /** A store without an index of streams reads many attempts together faster than one after the other. */
  async *#inGroups(steps: AsyncIterable<Step>, wanted: Wanted): Pages {
    for await (const group of groupsOf(steps)) {
      const evidence = group.some(({ kind }) => kind === 'evidence')
        ? await this.#stores.evidence.ask(async (ledger) => ledger)
        : null;
      if (evidence !== null && isAttemptStore(evidence)) yield* this.#together(group, wanted, evidence);
      else yield* this.#oneByOne(group, wanted);
    }
  }

  async *#together(group: readonly Step[], wanted: Wanted, evidence: AttemptStore): Pages {
    const isWhole = ({ attempt, from, to }: Portion): boolean => from === 0 && to === attempt.count - 1;
    const portions = (step: EvidenceStep): readonly Portion[] =>
      portionsOf(step).filter(({ attempt }) => wanted.takesStream(attempt.stream));
    const whole = group.flatMap((step) => (step.kind === 'run' ? [] : portions(step).filter(isWhole)));
    const attempts = whole.map(({ attempt: { place, ...attempt } }) => ({ ...attempt, ...(place && { place }) }));
    const pages = this.#stores.evidence.pages(() => evidence.readAttempts(attempts));
    try {
      for (const step of group) {
        if (step.kind === 'run') yield* this.#eventsOf(step, wanted, false);
        else {
          for (const portion of portions(step)) {
            const events = isWhole(portion) ? nextOf(pages) : null;
            for await (const page of this.#portion(portion, events)) {
              const some = page.filter(({ type }) => wanted.takesType(type));
              if (some.length > 0) yield some;
            }
          }
        }
      }
    } finally {
      await pages.return(undefined);
    }
  }

  /** From after one place up to another; up to the end there is now, where none is given. */
  async *steps(wanted: Wanted, span: Span, limit = Number.POSITIVE_INFINITY): AsyncGenerator<Step> {
    const { cursor: head } = wanted.evidence === null ? { cursor: undefined } : await this.#reports.refresh();
    const start = this.#placeAt(wanted, span.after);
    const until = span.until ?? head;
    const end = this.#placeAt(wanted, until);
    if (until !== undefined) {
      const order = this.#cursors.compare(start, end);
      if (order === 'after' && span.until === undefined)
        throw this.#cursors.bad(this.#cursors.write(start), `the ledger ends at ${until}`);
      if (order !== 'before') return;
    }
    const last = end.run === null ? null : this.#reports.at(end.run);
    const stop = (report: Report): number => (report === last ? end.events : report.events);
    if (wanted.evidence !== null && start.run !== null) {
      const report = this.#reports.at(start.run);
      if (report !== null) yield* within(report, start.events, stop(report));
    }
    const range = { ...after(start), ...(end.run === null ? {} : { until: end.run }) };
    for await (const page of this.#pages(wanted, range, limit)) yield* this.#stepsIn(page, wanted, stop);
  }

  async *#back(wanted: Wanted, span: Span, limit: number): AsyncGenerator<Step> {
    await this.#reports.refresh();
    const start = this.#reports.placeAt(span.after);
    if (span.after !== undefined && start.run === null) return;
    const report = start.run === null || start.events === 0 ? null : this.#reports.at(start.run);
    if (report !== null) {
      if (wanted.evidence !== null) yield* within(report, 0, start.events - 1);
      const event = await this.#stores.decisions.ask((ledger) => eventAt(ledger, report));
      if (event !== null && wanted.takes(event)) yield { kind: 'run', events: [event] };
    }
    for await (const page of this.#pages(wanted, { ...after(start), backwards: true }, limit)) {
      const steps: Step[] = [];
      for await (const step of this.#stepsIn(page.toReversed(), wanted, ({ events }) => events)) steps.push(step);
      for (const step of steps.toReversed())
        yield step.kind === 'run' ? { kind: 'run', events: step.events.toReversed() } : step;
    }
  }

  async *#pages(wanted: Wanted, range: ReadAllOptions, limit: number): Pages {
    const { feed } = wanted;
    if (feed === null) return;
    const most = wanted.evidence === null && Number.isFinite(limit) ? { limit } : {};
    yield* this.#stores.decisions.pages((ledger) => ledger.readAll({ ...feed, ...range, ...most }));
  }

  /** Where no evidence is wanted, a place within some is as good as that of the run event that reports it. */
  #placeAt(wanted: Wanted, cursor: Cursor | null | undefined): Place {
    if (wanted.evidence !== null) return this.#reports.placeAt(cursor);
    return cursor === undefined || cursor === null ? beginning : this.#cursors.read(cursor);
  }

  async *#stepsIn(
    page: readonly StoredEvent[],
    wanted: Wanted,
    stop: (report: Report) => number,
  ): AsyncGenerator<Step> {
    let events: StoredEvent[] = [];
    for (const event of page) {
      if (wanted.takes(event)) events.push(event);
      const report = wanted.evidence === null ? null : await this.#reports.by(event);
      if (report === null) continue;
      if (events.length > 0) yield { kind: 'run', events };
      events = [];
      yield* within(report, 0, stop(report));
    }
    if (events.length > 0) yield { kind: 'run', events };
  }

  async *#eventsOf(step: Step, wanted: Wanted, backwards: boolean): Pages {
    if (step.kind === 'run') yield step.events.map((event) => this.#placedRun(event));
    else yield* this.#evidence(step, wanted, backwards);
  }

  #placedRun(event: StoredEvent): StoredEvent {
    return this.#cursors.placed(event, { run: event.cursor, events: 0 });
  }

  async *#evidence(step: EvidenceStep, wanted: Wanted, backwards: boolean): Pages {
    const attempts = portionsOf(step).filter(({ attempt }) => wanted.takesStream(attempt.stream));
    for (const { attempt, from, to } of backwards ? attempts.toReversed() : attempts) {
      for await (const events of this.ofAttempt(attempt, { from, to, backwards })) {
        const some = events.filter(({ type }) => wanted.takesType(type));
        if (some.length > 0) yield some;
      }
    }
  }

  /** All of its events from one revision to another. Throws EvidenceMissing after those that are there. */
  async *ofAttempt(
    attempt: Attempt,
    { from, to, ...options }: { from: number; to: number; backwards?: boolean; limit?: number },
  ): Pages {
    const { stream, count, place } = attempt;
    const read = (ledger: Ledger): AsyncIterable<readonly StoredEvent[]> => {
      if (place !== null && isAttemptStore(ledger)) ledger.learnPlace(stream, count, place);
      return ledger.read(stream, { ...options, from, to });
    };
    const most = options.limit ?? Number.POSITIVE_INFINITY;
    yield* this.#portion({ attempt, from, to }, this.#stores.evidence.pages(read), most);
  }

  async *#portion(
    { attempt, from, to }: Portion,
    pages: AsyncIterable<readonly StoredEvent[]> | null,
    most: number = Number.POSITIVE_INFINITY,
  ): Pages {
    if (pages === null) return yield* this.ofAttempt(attempt, { from, to });
    const { report, offset } = attempt;
    let missing = Math.min(to - from + 1, most);
    try {
      for await (const events of pages) {
        missing -= events.length;
        yield events.map((event) =>
          this.#cursors.placed(event, { run: report.cursor, events: offset + event.revision + 1 }),
        );
      }
    } catch (error) {
      // What a store says of the same is not where the reader of the whole can go on.
      if (!(error instanceof EvidenceMissing)) throw error;
    }
    if (missing > 0) {
      const past = this.#cursors.write({ run: report.cursor, events: offset + to + 1 });
      throw missingOf(this.#stores.evidence.url, attempt, missing, past);
    }
  }

  async *live({ after: cursor, signal, unsealed = false, ...options }: SubscribeOptions): AsyncGenerator<Delivery> {
    if (signal?.aborted === true) return;
    const left = new AbortController();
    const stop = signal === undefined ? left.signal : AbortSignal.any([left.signal, signal]);
    const wanted = new Wanted(options);
    const reported = this.#reported(wanted, cursor, stop);
    const deliveries =
      unsealed && wanted.evidence !== null ? together(reported, this.#arriving(wanted.evidence, stop)) : reported;
    try {
      let reached = cursor ?? this.#cursors.write(beginning);
      for await (const delivery of deliveries) {
        if (delivery.kind !== 'unsealed') reached = delivery.cursor;
        yield delivery.kind === 'unsealed' ? { ...delivery, cursor: reached } : delivery;
        if (stop.aborted) return;
      }
    } catch (error) {
      // Closing the ledger ends its subscriptions; it is no failure of theirs.
      if (!(error instanceof LedgerClosed)) throw error;
    } finally {
      left.abort();
    }
  }

  async *#reported(wanted: Wanted, cursor: Cursor | undefined, signal: AbortSignal): AsyncGenerator<Delivery> {
    await this.#reports.refresh();
    const start = this.#placeAt(wanted, cursor);
    const report = wanted.evidence === null || start.run === null ? null : this.#reports.at(start.run);
    if (report !== null) {
      for (const step of within(report, start.events, report.events)) yield* this.#delivered(step, wanted);
    }
    const feed = wanted.feed ?? { types: [] };
    const options = { ...feed, ...after(start), signal };
    for await (const delivery of this.#stores.decisions.pages((ledger) => ledger.subscribe(options))) {
      if (delivery.kind === 'events') {
        for await (const step of this.#stepsIn(delivery.events, wanted, ({ events }) => events))
          yield* this.#delivered(step, wanted);
      } else yield { kind: 'caught-up', cursor: await this.#reports.reached(delivery.cursor) };
    }
  }

  async *#delivered(step: Step, wanted: Wanted): AsyncGenerator<Delivery> {
    for await (const events of this.#eventsOf(step, wanted, false))
      yield { kind: 'events', events, cursor: (events.at(-1) as StoredEvent).cursor };
  }

  /** Evidence as it arrives from now on, of attempts that no run event has reported yet. */
  async *#arriving(filter: Filter, signal: AbortSignal): AsyncGenerator<Delivery> {
    const { cursor: start } = await this.#stores.evidence.ask((ledger) => ledger.head());
    const follow = (ledger: Ledger): AsyncIterable<Delivery> => ledger.subscribe({ ...filter, after: start, signal });
    for await (const delivery of this.#stores.evidence.pages(follow)) {
      if (delivery.kind !== 'events') continue;
      const fresh = delivery.events.filter(({ stream }) => this.#reports.attempt(stream) === null);
      const events = fresh.map((event) => this.#cursors.placed(event, beginning));
      if (events.length > 0) yield { kind: 'unsealed', events, cursor: '' };
    }
  }
}

/** What is wanted, and of which part. */
export class Wanted {
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

  /** What has to be read of the run events: what is wanted of them, and what reports evidence that is wanted. Null: nothing. */
  get feed(): Filter | null {
    const run = this.#run;
    if (this.evidence === null) return run;
    const types = run === null ? reportingTypes : run.types && [...new Set([...run.types, ...reportingTypes])];
    const streams = this.evidence.streams?.flatMap(reportersOf).concat(run?.streams ?? []);
    return {
      ...(types === undefined ? {} : { types }),
      ...(streams === undefined ? {} : { streams: [...new Set(streams)] }),
    };
  }
}

/** The streams that may report an attempt. */
function reportersOf(stream: string): readonly string[] {
  const name = parseStream(stream);
  return name?.category === 'evidence'
    ? [streamOf.work(name.run), streamOf.run(name.run), streamOf.ablation(name.run)]
    : [];
}

type EvidenceStep = Extract<Step, { kind: 'evidence' }>;

function* within(report: Report, from: number, to: number): Generator<EvidenceStep> {
  if (from < to) yield { kind: 'evidence', report, from, to };
}

/** So many events of evidence are read together, with so many characters of run events between them. */
const groupEvents = 40_000;
const groupCharacters = 4_000_000;

async function* groupsOf(steps: AsyncIterable<Step>): AsyncGenerator<readonly Step[]> {
  let group: Step[] = [];
  let [events, characters] = [0, 0];
  for await (const step of steps) {
    group.push(step);
    if (step.kind === 'evidence') events += step.to - step.from;
    else characters += step.events.reduce((sum, { body }) => sum + body.length, 0);
    if (events < groupEvents && characters < groupCharacters) continue;
    yield group;
    group = [];
    [events, characters] = [0, 0];
  }
  if (group.length > 0) yield group;
}

/** Of the attempts that are read together, the events of the next. */
async function* nextOf(pages: AsyncGenerator<AttemptPage>): Pages {
  for (let isLast = false; !isLast; ) {
    const { done, value } = await pages.next();
    if (done === true) return;
    yield value.events;
    isLast = value.isLast;
  }
}

interface Portion {
  readonly attempt: Attempt;
  /** Revisions, both included. */
  readonly from: number;
  readonly to: number;
}

function portionsOf({ report, from, to }: EvidenceStep): readonly Portion[] {
  return report.attempts
    .map((attempt) => ({
      attempt,
      from: Math.max(0, from - attempt.offset),
      to: Math.min(attempt.count, to - attempt.offset) - 1,
    }))
    .filter((portion) => portion.from <= portion.to);
}

function after({ run }: Place): { after?: Cursor } {
  return run === null ? {} : { after: run };
}

/** What comes from either as it comes; ends with the first. */
async function* together<Item>(...sources: readonly AsyncGenerator<Item>[]): AsyncGenerator<Item> {
  const next = (source: AsyncGenerator<Item>) => {
    const coming = source.next().then((result) => ({ source, result }));
    // Where the other failed first, nobody waits for this one any more.
    coming.catch(() => undefined);
    return coming;
  };
  const coming = new Map(sources.map((source) => [source, next(source)]));
  for (;;) {
    const { source, result } = await Promise.race(coming.values());
    if (result.done === true) return;
    coming.set(source, next(source));
    yield result.value;
  }
}

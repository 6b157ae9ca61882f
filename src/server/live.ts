// The live feed: one subscription to the ledger serves every client. Recent events are in a ring of bounded size; a client that
// fell behind it, or resumes, reads the ledger page by page until it meets the ring again.
import { setTimeout as pause } from 'node:timers/promises';
import { IcecoreError } from '../../schemas/errors.ts';
import { eventJson } from '../library/events/json.ts';
import type { StoredEvent } from '../library/ledger.ts';
import type { Backend, Operation } from './operation.ts';
import { given } from './route.ts';

/** An event as the feed sends it. */
export interface LiveEvent {
  /** The cursor after it. */
  readonly cursor: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly run: string | null;
  /** As `icecore event tail --json` prints it. */
  readonly json: string;
}

interface Batch {
  readonly events: readonly LiveEvent[];
  readonly cursor: string;
}

/** Which events a client wants; empty lists are all. */
export interface LiveFilter {
  readonly types: readonly string[];
  readonly streams: readonly string[];
  /** The id of a run. */
  readonly run: string | null;
}

function liveEvent(event: StoredEvent): LiveEvent {
  const { cursor, stream, revision, type } = event;
  return { cursor, stream, revision, type, run: runOf(event), json: eventJson(event, { cursor }) };
}

function runOf(event: StoredEvent): string | null {
  try {
    return event.envelope.run;
  } catch {
    // A damaged event belongs to no run.
    return null;
  }
}

/** Follows the ledger, from a cursor or from now on. */
export const follow: Operation<{ readonly after?: string; readonly last?: number }, Batch> = {
  name: 'follow',
  thread: 'events',
  async run(workspace, from, { signal, write }) {
    for await (const delivery of workspace.subscribe({ ...from, signal })) {
      const events = delivery.kind === 'events' ? delivery.events.map(liveEvent) : [];
      await write({ events, cursor: delivery.cursor });
    }
  },
};

const pageSize = 500;

/** The next events after a cursor. */
export const page: Operation<LiveFilter & { readonly after: string | null }, readonly LiveEvent[]> = {
  name: 'page',
  thread: 'events',
  async run(workspace, { types, streams, after }, { signal, write }) {
    const events: LiveEvent[] = [];
    const from = given({ after: after ?? undefined });
    for await (const event of workspace.events({ types, streams, ...from, limit: pageSize, signal }))
      events.push(liveEvent(event));
    await write(events);
  },
};

/** Whether the first cursor is at the second or after it. */
export const hasReached: Operation<{ readonly cursor: string; readonly other: string }, boolean> = {
  name: 'hasReached',
  thread: 'events',
  async run(workspace, { cursor, other }, { signal, write }) {
    await write(['equal', 'after'].includes(await workspace.compareCursors(cursor, other, { signal })));
  },
};

/** The id of a run by its name. */
export const runId: Operation<{ readonly run: string }, string> = {
  name: 'runId',
  thread: 'queries',
  async run(workspace, { run }, { signal, write }) {
    await write((await workspace.show(run, { signal })).run);
  },
};

/** How a client reads. */
interface ClientOptions {
  readonly signal: AbortSignal;
  readonly heartbeatMs: number;
}

type Groups = AsyncGenerator<readonly LiveEvent[], void, undefined>;

/** Where a client is: the number of its next event in the ring, and the cursor of the last one before. */
interface Place {
  readonly at: number;
  readonly cursor: string | null;
  readonly isBehind: boolean;
}

/** The one subscription of all clients. */
interface Subscription {
  readonly stop: AbortController;
  /** Resolves when events that are recorded from then on come into the ring. */
  readonly ready: PromiseWithResolvers<void>;
  done: Promise<void>;
}

/** Limits of the ring. */
const most = { events: 10_000, bytes: 16 * 1024 * 1024 };
/** Limit of what is passed to a client at once. */
const mostAtOnce = 256 * 1024;

interface LiveFeedOptions {
  readonly backend: Backend;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
  /** How long the subscription waits for another client after the last one left. */
  readonly idleMs: number;
  readonly onFault: (fault: unknown) => void;
}

export class LiveFeed {
  readonly #backend: Backend;
  readonly #signal: AbortSignal;
  readonly #idleMs: number;
  readonly #onFault: (fault: unknown) => void;
  #ring: LiveEvent[] = [];
  #bytes = 0;
  /** The number of events before the first of the ring. */
  #dropped = 0;
  #wake = Promise.withResolvers<void>();
  /** The cursor after the last event of the ring; null if there is no ledger yet. */
  #position: string | null = null;
  #subscription: Subscription | null = null;
  #idle: NodeJS.Timeout | undefined;
  clients = 0;

  constructor({ backend, signal, idleMs, onFault }: LiveFeedOptions) {
    this.#backend = backend;
    this.#signal = signal;
    this.#idleMs = idleMs;
    this.#onFault = onFault;
  }

  /**
   * Events after a cursor, or from now on: those recorded after this resolves are among them. The client is counted until its signal
   * aborts. Groups are empty each `heartbeatMs` without events, and end when the server stops.
   */
  async open(filter: LiveFilter, after: string | null, options: ClientOptions): Promise<Groups> {
    const { signal } = options;
    signal.throwIfAborted();
    this.#enter(signal);
    const { promise: gone, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    gone.catch(() => {});
    await Promise.race([this.#subscription?.ready.promise, gone]);
    if (after !== null) await this.#reach(after, signal);
    return this.#groups(filter, { at: this.#end, cursor: after ?? this.#position, isBehind: after !== null }, options);
  }

  /** Resolves when nothing is followed any more, after the signal. */
  async ended(): Promise<void> {
    await this.#subscription?.done;
  }

  #enter(signal: AbortSignal): void {
    this.clients++;
    clearTimeout(this.#idle);
    signal.addEventListener('abort', () => this.#leave(), { once: true });
    if (this.#subscription !== null) return;
    const subscription = { stop: new AbortController(), ready: Promise.withResolvers<void>(), done: Promise.resolve() };
    this.#subscription = subscription;
    subscription.done = this.#follow(subscription);
  }

  /** Without clients, the ledger is not followed, so that appending costs nothing more. */
  #leave(): void {
    this.clients--;
    if (this.clients > 0) return;
    this.#idle = setTimeout(() => {
      this.#subscription?.stop.abort('no client follows');
      this.#subscription = null;
      this.#dropped = this.#end;
      this.#ring = [];
      this.#bytes = 0;
      this.#position = null;
    }, this.#idleMs);
    this.#idle.unref();
  }

  /** A ledger that does not exist yet is followed from its first event. */
  async #follow(subscription: Subscription): Promise<void> {
    const signal = AbortSignal.any([this.#signal, subscription.stop.signal]);
    let from: { readonly after?: string; readonly last?: number } = { last: 0 };
    let isReady = false;
    while (!signal.aborted) {
      try {
        for await (const { events, cursor } of this.#backend.call(follow, from, { signal })) {
          if (signal.aborted) break;
          from = { after: cursor };
          this.#position = cursor;
          this.#take(events);
          isReady = true;
          subscription.ready.resolve();
        }
      } catch (fault) {
        if (signal.aborted) break;
        if (!isMissing(fault)) this.#onFault(fault);
        else if (!isReady) {
          from = {};
          isReady = true;
          subscription.ready.resolve();
        }
      }
      await pause(500, undefined, { signal }).catch(() => {});
    }
    if (this.#signal.aborted) this.#wake.resolve();
  }

  async *#groups(filter: LiveFilter, start: Place, { signal, heartbeatMs }: ClientOptions): Groups {
    let { at, cursor, isBehind } = start;
    let early: ReadonlySet<string> = new Set();
    while (!signal.aborted && !this.#signal.aborted) {
      if (isBehind || at < this.#dropped) {
        at = this.#end;
        const seen = new Set<string>();
        for await (const read of this.#pages(filter, cursor, signal)) {
          cursor = read.cursor;
          for (const event of read.events) remember(seen, keyOf(event));
          if (read.events.length > 0) yield read.events;
        }
        early = seen;
        isBehind = false;
        continue;
      }
      const found = this.#from(at, filter);
      at = found.next;
      cursor = found.cursor ?? cursor;
      const events = early.size === 0 ? found.events : found.events.filter((event) => !early.has(keyOf(event)));
      if (events.length > 0) yield events;
      else if (at === this.#end && !(await this.#changed(signal, heartbeatMs))) yield [];
    }
  }

  /** Waits until the ring begins after the cursor; what comes into the ring from then on is later than the cursor. */
  async #reach(cursor: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const position = this.#position;
      try {
        const pair = { cursor: position ?? cursor, other: cursor };
        for await (const isThere of this.#backend.call(hasReached, pair, { signal }))
          if (isThere && position !== null) return;
      } catch (fault) {
        if (isMissing(fault)) return;
        throw fault;
      }
      await this.#changed(signal, 100);
    }
  }

  get #end(): number {
    return this.#dropped + this.#ring.length;
  }

  #take(events: readonly LiveEvent[]): void {
    if (events.length === 0) return;
    for (const event of events) {
      this.#ring.push(event);
      this.#bytes += event.json.length;
    }
    let surplus = Math.max(0, this.#ring.length - most.events);
    for (const { json } of this.#ring.slice(0, surplus)) this.#bytes -= json.length;
    while (this.#bytes > most.bytes && surplus < this.#ring.length - 1) {
      this.#bytes -= this.#ring[surplus]?.json.length ?? 0;
      surplus++;
    }
    if (surplus > 0) this.#ring = this.#ring.slice(surplus);
    this.#dropped += surplus;
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  /** Matching events of the ring from a number on, with the cursor of the last one that was looked at. */
  #from(at: number, filter: LiveFilter): { events: readonly LiveEvent[]; next: number; cursor: string | null } {
    const events: LiveEvent[] = [];
    let [next, cursor]: [number, string | null] = [at, null];
    for (let bytes = 0; next < this.#end && bytes < mostAtOnce; next++) {
      const event = this.#ring[next - this.#dropped];
      if (event === undefined) continue;
      cursor = event.cursor;
      if (!matches(filter, event)) continue;
      events.push(event);
      bytes += event.json.length;
    }
    return { events, next, cursor };
  }

  /** Pages of the ledger after the cursor, to its end: matching events, and the cursor after all that were read. */
  async *#pages(filter: LiveFilter, after: string | null, signal: AbortSignal): AsyncGenerator<Batch, void, undefined> {
    let cursor = after;
    for (;;) {
      let read: readonly LiveEvent[] = [];
      try {
        for await (const events of this.#backend.call(page, { ...filter, after: cursor }, { signal })) read = events;
      } catch (fault) {
        if (isMissing(fault)) return;
        throw fault;
      }
      const last = read.at(-1);
      if (last === undefined) return;
      cursor = last.cursor;
      yield { events: read.filter((event) => matches(filter, event)), cursor };
      if (read.length < pageSize) return;
    }
  }

  /** True when there are more events; false after the time. */
  async #changed(signal: AbortSignal, ms: number): Promise<boolean> {
    const timer = new AbortController();
    const { promise } = this.#wake;
    const stop = AbortSignal.any([signal, timer.signal]);
    try {
      return await Promise.race([
        promise.then(() => true),
        pause(ms, false, { signal: stop, ref: false }).catch(() => true),
      ]);
    } finally {
      timer.abort();
    }
  }
}

/** There is no ledger yet. */
function isMissing(fault: unknown): boolean {
  return fault instanceof IcecoreError && fault.kind === 'not-found';
}

/** Only the latest can be in the ring as well. */
function remember(seen: Set<string>, key: string): void {
  seen.add(key);
  if (seen.size <= most.events) return;
  const [oldest] = seen;
  if (oldest !== undefined) seen.delete(oldest);
}

function keyOf({ stream, revision }: LiveEvent): string {
  return `${stream}@${revision}`;
}

function matches({ types, streams, run }: LiveFilter, event: LiveEvent): boolean {
  return (
    (types.length === 0 || types.includes(event.type)) &&
    (streams.length === 0 || streams.includes(event.stream)) &&
    (run === null || event.run === run)
  );
}

// The live feed: one subscription to the ledger serves every client. Recent events are in a ring of bounded size; a client that
// fell behind it, or resumes, reads the ledger page by page until it meets the ring again.
import { setTimeout as pause } from 'node:timers/promises';
import { IcecoreError } from '../../schemas/errors.ts';
import { bytesOf, follow, hasReached, type LiveEvent, type LiveFilter, page, pageSize, unpack } from './live-events.ts';
import type { Backend } from './operation.ts';

interface Batch {
  readonly events: readonly LiveEvent[];
  readonly cursor: string;
}

/** How a client reads. */
interface ClientOptions {
  readonly signal: AbortSignal;
  readonly heartbeatMs: number;
}

/** Server-sent events; empty: there was nothing for a while. */
type Groups = AsyncGenerator<Uint8Array, void, undefined>;

/** Events of the ring from a number on that match a filter. */
interface Found {
  readonly events: readonly LiveEvent[];
  readonly bytes: Uint8Array;
  readonly next: number;
  /** Of the last event that was looked at. */
  readonly cursor: string | null;
}

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
/** Groups that are kept for clients at the same place: few, since most clients are at the end. */
const mostKept = 16;

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
  /** Each wakes a client that waits for events. */
  readonly #waiting = new Set<() => void>();
  /** By place and filter: clients at the same place share their bytes. */
  readonly #found = new Map<string, Found>();
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
        for await (const { cursor, ...packed } of this.#backend.call(follow, from, { signal })) {
          if (signal.aborted) break;
          from = { after: cursor };
          this.#position = cursor;
          this.#take(unpack(packed));
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
    if (this.#signal.aborted) this.#wakeAll();
  }

  async *#groups(filter: LiveFilter, start: Place, { signal, heartbeatMs }: ClientOptions): Groups {
    let { at, cursor, isBehind } = start;
    const key = JSON.stringify(filter);
    let early: ReadonlySet<string> = new Set();
    while (!signal.aborted && !this.#signal.aborted) {
      if (isBehind || at < this.#dropped) {
        at = this.#end;
        const seen = new Set<string>();
        for await (const read of this.#pages(filter, cursor, signal)) {
          cursor = read.cursor;
          for (const event of read.events) remember(seen, keyOf(event));
          if (read.events.length > 0) yield bytesOf(read.events);
        }
        early = seen;
        isBehind = false;
        continue;
      }
      const found = this.#from(at, filter, key);
      at = found.next;
      cursor = found.cursor ?? cursor;
      const bytes = early.size === 0 ? found.bytes : bytesOf(found.events.filter((event) => !early.has(keyOf(event))));
      if (bytes.length > 0) yield bytes;
      else if (at === this.#end && !(await this.#changed(signal, heartbeatMs))) yield bytes;
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
      this.#bytes += event.bytes.length;
    }
    let surplus = Math.max(0, this.#ring.length - most.events);
    for (const { bytes } of this.#ring.slice(0, surplus)) this.#bytes -= bytes.length;
    while (this.#bytes > most.bytes && surplus < this.#ring.length - 1) {
      this.#bytes -= this.#ring[surplus]?.bytes.length ?? 0;
      surplus++;
    }
    if (surplus > 0) this.#ring = this.#ring.slice(surplus);
    this.#dropped += surplus;
    this.#found.clear();
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** `key`: of the filter. */
  #from(at: number, filter: LiveFilter, key: string): Found {
    const place = `${at} ${key}`;
    const kept = this.#found.get(place);
    if (kept !== undefined) return kept;
    const found = this.#search(at, filter);
    if (this.#found.size < mostKept) this.#found.set(place, found);
    return found;
  }

  #search(at: number, filter: LiveFilter): Found {
    const events: LiveEvent[] = [];
    let [next, cursor]: [number, string | null] = [at, null];
    for (let bytes = 0; next < this.#end && bytes < mostAtOnce; next++) {
      const event = this.#ring[next - this.#dropped];
      if (event === undefined) continue;
      cursor = event.cursor;
      if (!matches(filter, event)) continue;
      events.push(event);
      bytes += event.bytes.length;
    }
    return { events, bytes: bytesOf(events), next, cursor };
  }

  /** Pages of the ledger after the cursor, to its end: matching events, and the cursor after all that were read. */
  async *#pages(filter: LiveFilter, after: string | null, signal: AbortSignal): AsyncGenerator<Batch, void, undefined> {
    let cursor = after;
    for (;;) {
      let read: readonly LiveEvent[] = [];
      try {
        for await (const packed of this.#backend.call(page, { ...filter, after: cursor }, { signal }))
          read = unpack(packed);
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

  /** True when there are more events, or the client is gone; false after the time. */
  #changed(signal: AbortSignal, ms: number): Promise<boolean> {
    if (signal.aborted || this.#signal.aborted) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (isChanged: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve(isChanged);
      };
      const wake = (): void => end(true);
      const timer = setTimeout(end, ms, false).unref();
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
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

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

/** The id of a run by its name. */
export const runId: Operation<{ readonly run: string }, string> = {
  name: 'runId',
  thread: 'queries',
  async run(workspace, { run }, { signal, write }) {
    await write((await workspace.show(run, { signal })).run);
  },
};

/** Limits of the ring. */
const most = { events: 10_000, bytes: 16 * 1024 * 1024 };
/** Limit of what is passed to a client at once. */
const mostAtOnce = 256 * 1024;

export class LiveFeed {
  readonly #backend: Backend;
  readonly #signal: AbortSignal;
  readonly #onFault: (fault: unknown) => void;
  #ring: LiveEvent[] = [];
  #bytes = 0;
  /** The number of events before the first of the ring. */
  #dropped = 0;
  #wake = Promise.withResolvers<void>();
  readonly #started = Promise.withResolvers<void>();
  #isStarted = false;
  clients = 0;

  constructor(backend: Backend, signal: AbortSignal, onFault: (fault: unknown) => void) {
    this.#backend = backend;
    this.#signal = signal;
    this.#onFault = onFault;
  }

  /** Follows until the signal; a ledger that does not exist yet is followed from its first event. */
  async follow(): Promise<void> {
    let from: { readonly after?: string; readonly last?: number } = { last: 0 };
    while (!this.#signal.aborted) {
      try {
        for await (const { events, cursor } of this.#backend.call(follow, from, { signal: this.#signal })) {
          from = { after: cursor };
          this.#take(events);
          this.#start();
        }
      } catch (fault) {
        if (this.#signal.aborted) break;
        const isMissing = fault instanceof IcecoreError && fault.kind === 'not-found';
        if (!isMissing) this.#onFault(fault);
        else if (!this.#isStarted) from = {};
        if (isMissing) this.#start();
      }
      await pause(500, undefined, { signal: this.#signal }).catch(() => {});
    }
    this.#wake.resolve();
  }

  /** Events after a cursor, or from now on, in groups; an empty group each `heartbeatMs` without any. Ends when the server stops. */
  async *events(
    filter: LiveFilter,
    after: string | null,
    { signal, heartbeatMs }: { readonly signal: AbortSignal; readonly heartbeatMs: number },
  ): AsyncGenerator<readonly LiveEvent[], void, undefined> {
    await this.#started.promise;
    this.clients++;
    try {
      let cursor = after;
      let at = this.#end;
      let early: ReadonlySet<string> = new Set();
      let isBehind = after !== null;
      while (!signal.aborted && !this.#signal.aborted) {
        if (isBehind || at < this.#dropped) {
          at = this.#end;
          const seen = new Set<string>();
          for await (const events of this.#caughtUp(filter, cursor, signal)) {
            cursor = events.at(-1)?.cursor ?? cursor;
            for (const event of events) remember(seen, keyOf(event));
            yield events;
          }
          early = seen;
          isBehind = false;
          continue;
        }
        const { events, next } = this.#from(at, filter);
        at = next;
        const fresh = early.size === 0 ? events : events.filter((event) => !early.has(keyOf(event)));
        cursor = events.at(-1)?.cursor ?? cursor;
        if (fresh.length > 0) yield fresh;
        else if (at === this.#end && !(await this.#changed(signal, heartbeatMs))) yield [];
      }
    } finally {
      this.clients--;
    }
  }

  get #end(): number {
    return this.#dropped + this.#ring.length;
  }

  #start(): void {
    this.#isStarted = true;
    this.#started.resolve();
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

  /** Matching events of the ring from a number on. */
  #from(at: number, filter: LiveFilter): { readonly events: readonly LiveEvent[]; readonly next: number } {
    const events: LiveEvent[] = [];
    let next = at;
    for (let bytes = 0; next < this.#end && bytes < mostAtOnce; next++) {
      const event = this.#ring[next - this.#dropped];
      if (event === undefined || !matches(filter, event)) continue;
      events.push(event);
      bytes += event.json.length;
    }
    return { events, next };
  }

  /** Pages of the ledger after the cursor, to its end. */
  async *#caughtUp(
    filter: LiveFilter,
    after: string | null,
    signal: AbortSignal,
  ): AsyncGenerator<readonly LiveEvent[], void, undefined> {
    let cursor = after;
    for (;;) {
      let read: readonly LiveEvent[] = [];
      try {
        for await (const events of this.#backend.call(page, { ...filter, after: cursor }, { signal })) read = events;
      } catch (fault) {
        if (fault instanceof IcecoreError && fault.kind === 'not-found') return;
        throw fault;
      }
      cursor = read.at(-1)?.cursor ?? cursor;
      const matching = read.filter((event) => matches(filter, event));
      if (matching.length > 0) yield matching;
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

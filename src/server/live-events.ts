// What the live feed reads of the ledger: events as bytes, which are made once, where the ledger is open, for all clients.
import { IcecoreError } from '../../schemas/errors.ts';
import { eventJson } from '../library/events/json.ts';
import type { StoredEvent } from '../library/ledger.ts';
import type { Operation } from './operation.ts';
import { given } from './route.ts';

/** An event as the feed sends it: every client gets the same bytes. */
export interface LiveEvent {
  /** The cursor after it. */
  readonly cursor: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly run: string | null;
  /** As a server-sent event, whose data is what `icecore event tail --json` prints. */
  readonly bytes: Uint8Array;
}

/** Events as they pass from one thread to another, with their bytes in one piece. */
export interface Packed {
  readonly events: readonly (Omit<LiveEvent, 'bytes'> & { readonly length: number })[];
  readonly bytes: Uint8Array;
}

/** Which events a client wants; empty lists are all. */
export interface LiveFilter {
  readonly types: readonly string[];
  readonly streams: readonly string[];
  /** The id of a run. */
  readonly run: string | null;
}

function pack(stored: readonly StoredEvent[]): Packed {
  const each = stored.map((event) => Buffer.from(sse(event)));
  const events = stored.map((event, i) => {
    const { cursor, stream, revision, type } = event;
    return { cursor, stream, revision, type, run: runOf(event), length: each[i]?.length ?? 0 };
  });
  return { events, bytes: Buffer.concat(each) };
}

export function unpack({ events, bytes }: Packed): readonly LiveEvent[] {
  let end = 0;
  return events.map(({ length, ...event }) => {
    end += length;
    return { ...event, bytes: bytes.subarray(end - length, end) };
  });
}

/** Line breaks within a value would begin another field. */
function sse(event: StoredEvent): string {
  const { cursor, type } = event;
  return `id: ${oneLine(cursor)}\nevent: ${oneLine(type)}\ndata: ${eventJson(event, { cursor })}\n\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\0]/g, ' ');
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
export const follow: Operation<
  { readonly after?: string; readonly last?: number },
  Packed & { readonly cursor: string }
> = {
  name: 'follow',
  thread: 'events',
  async run(workspace, from, { signal, write }) {
    for await (const delivery of workspace.subscribe({ ...from, signal })) {
      const events = delivery.kind === 'events' ? delivery.events : [];
      await write({ ...pack(events), cursor: delivery.cursor });
    }
  },
};

export const pageSize = 500;

/** The next events after a cursor. */
export const page: Operation<LiveFilter & { readonly after: string | null }, Packed> = {
  name: 'page',
  thread: 'events',
  async run(workspace, { types, streams, after }, { signal, write }) {
    const events: StoredEvent[] = [];
    const from = given({ after: after ?? undefined });
    for await (const event of workspace.events({ types, streams, ...from, limit: pageSize, signal }))
      events.push(event);
    await write(pack(events));
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

/** Throws on a type or a stream that there is not. A ledger that is not there yet has none, and may get any. */
export const requireKnown: Operation<Pick<LiveFilter, 'types' | 'streams'>, never> = {
  name: 'requireKnown',
  thread: 'queries',
  async run(workspace, selection, { signal }) {
    try {
      await workspace.events({ ...selection, last: 0, signal }).next();
    } catch (fault) {
      if (!(fault instanceof IcecoreError) || fault.kind !== 'not-found') throw fault;
    }
  },
};

export function bytesOf(events: readonly LiveEvent[]): Uint8Array {
  return Buffer.concat(events.map(({ bytes }) => bytes));
}

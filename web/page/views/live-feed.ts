// The latest events of the live feed in bounded memory, however many are recorded.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunShown } from '../../../schemas/run-output.ts';
import { ApiError, get } from '../api.ts';
import { follow, type LiveEvent, useIsHidden } from '../live.ts';
import { runPath } from '../place.ts';

export const mostRows = 2_000;

/** The number of events that a feed begins with. */
const mostBefore = 200;

/** The time between two updates of the view, in milliseconds: nobody reads faster. */
const pace = 100;

export interface Feed {
  /** Newest first. */
  readonly rows: readonly LiveEvent[];
  readonly state: 'connecting' | 'connected' | 'waiting' | 'hidden';
  readonly fault: unknown;
  readonly perSecond: number;
  /** Events that came since it is held, which `rows` leaves out. */
  readonly newer: number;
}

interface FeedOptions {
  readonly types: readonly string[];
  /** Empty: all. */
  readonly run: string;
  /** While it is held, `rows` stays as it is. */
  readonly isHeld: boolean;
}

/** What was received; not a state of a component, because it changes thousands of times a second. */
interface Received {
  latest: LiveEvent[];
  count: number;
}

export function useFeed({ types, run, isHeld }: FeedOptions): Feed {
  const received = useRef<Received>({ latest: [], count: 0 });
  const held = useRef<{ rows: readonly LiveEvent[]; count: number } | null>(null);
  const isHidden = useIsHidden();
  const [state, setState] = useState<Feed['state']>('connecting');
  const [fault, setFault] = useState<unknown>(null);
  const [, setUpdates] = useState(0);
  const key = JSON.stringify([types, run]);

  useEffect(() => {
    received.current = { latest: [], count: 0 };
    held.current = null;
    setFault(null);
    setState('connecting');
  }, [key]);

  // A hidden page receives nothing, and begins again with the latest events when it is seen.
  useEffect(() => {
    if (isHidden) {
      setState('hidden');
      return;
    }
    const stop = new AbortController();
    let due: ReturnType<typeof setTimeout> | undefined;
    const onEvents = (events: readonly LiveEvent[]): void => {
      const { current } = received;
      // What is beyond the limit is not copied first.
      const kept = current.latest.slice(Math.max(0, current.latest.length + events.length - mostRows));
      current.latest = [...kept, ...events.slice(-mostRows)];
      current.count += events.length;
      due ??= setTimeout(() => {
        due = undefined;
        setUpdates((before) => before + 1);
      }, pace);
    };
    const start = async (): Promise<void> => {
      const { events, next } = await latestEvents(types, run, stop.signal);
      const known = new Set(received.current.latest.map(({ cursor }) => cursor));
      onEvents(events.filter(({ cursor }) => !known.has(cursor)));
      const query = new URLSearchParams(types.map((type) => ['type', type]));
      if (run !== '') query.set('run', run);
      await follow(query.toString(), { onEvents, onState: setState }, stop.signal, next);
    };
    const startUntilReached = async (): Promise<void> => {
      for (;;) {
        try {
          return await start();
        } catch (failed) {
          if (stop.signal.aborted) return;
          if (!(failed instanceof ApiError) || failed.status !== 0) return setFault(failed);
          setState('waiting');
          await new Promise((resolve) => setTimeout(resolve, 1_000));
        }
      }
    };
    void startUntilReached();
    return () => {
      clearTimeout(due);
      stop.abort();
    };
  }, [key, isHidden]);

  const { latest, count } = received.current;
  if (!isHeld) held.current = null;
  else held.current ??= { rows: latest.toReversed(), count };
  const shown = held.current ?? { rows: latest.toReversed(), count };
  return {
    ...{ rows: shown.rows, newer: count - shown.count, state, fault },
    perSecond: usePerSecond(received),
  };
}

/** With a cursor after which the live feed continues. A ledger that does not exist yet has no events. */
async function latestEvents(
  types: readonly string[],
  run: string,
  signal: AbortSignal,
): Promise<{ readonly events: readonly LiveEvent[]; readonly next: string | null }> {
  const query = new URLSearchParams({ last: String(mostBefore), limit: String(mostBefore) });
  for (const type of types) query.append('type', type);
  try {
    if (run !== '') {
      const { run: id } = await get<Pick<RunShown, 'run'>>(runPath(run), signal);
      for (const kind of ['run', 'notes', 'work']) query.append('stream', `${kind}-${id}`);
    }
    const { rows, next } = await get<{ readonly rows: readonly Recorded[]; readonly next: string | null }>(
      `/events?${query}`,
      signal,
    );
    return { events: rows.map((row) => ({ cursor: row.cursor, type: row.type, data: row })), next };
  } catch (fault) {
    if (run === '' && fault instanceof ApiError && fault.status === 404) return { events: [], next: null };
    throw fault;
  }
}

type Recorded = Readonly<Record<string, unknown>> & { readonly cursor: string; readonly type: string };

/** Fields that every event has; null where a damaged event lacks them. */
export function fieldsOf({ data }: LiveEvent): {
  readonly id: string | null;
  readonly at: string | null;
  readonly run: string | null;
  readonly stage: number | null;
  readonly actor: string;
} {
  const { id, at, run, stage, actor } = data;
  return {
    ...{ id: textOf(id), at: textOf(at), run: textOf(run), actor: textOf(actor) ?? '' },
    stage: typeof stage === 'number' ? stage : null,
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The events of the last second. */
function usePerSecond(received: { readonly current: Received }): number {
  const [rate, setRate] = useState(0);
  useEffect(() => {
    let { count } = received.current;
    const timer = setInterval(() => {
      const now = received.current.count;
      setRate(Math.max(0, now - count));
      count = now;
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  return rate;
}

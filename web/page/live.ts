// The live feed. A hidden page follows nothing: a browser has six connections to a server, whatever the number of its tabs.
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, answerOf, headersWith, isServed, parsed, urlOf } from './api.ts';
import { noteConnection } from './connection.ts';

export interface LiveEvent {
  readonly cursor: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Most events of a flood are never shown, so each is parsed when its fields are first read. */
class ReceivedEvent implements LiveEvent {
  readonly cursor: string;
  readonly type: string;
  readonly #text: string;
  #data: LiveEvent['data'] | null = null;

  constructor(cursor: string, type: string, text: string) {
    this.cursor = cursor;
    this.type = type;
    this.#text = text;
  }

  get data(): LiveEvent['data'] {
    this.#data ??= (parsed(this.#text) ?? {}) as LiveEvent['data'];
    return this.#data;
  }
}

export interface Following {
  onEvents(events: readonly LiveEvent[]): void;
  onState(state: 'connected' | 'waiting'): void;
}

/** More events than this are handed over at once, without waiting for a frame. */
const mostWaiting = 1_000;

/**
 * Follows the live feed until the signal aborts, from now on or after a cursor, and continues after the last event when the
 * connection was cut.
 */
export async function follow(
  query: string,
  following: Following,
  signal: AbortSignal,
  from: string | null = null,
): Promise<void> {
  let after = from;
  while (!signal.aborted) {
    try {
      const resumed: Record<string, string> = after === null ? {} : { 'last-event-id': after };
      const response = await fetch(urlOf(`/live${query === '' ? '' : `?${query}`}`), {
        headers: headersWith({ accept: 'text/event-stream', ...resumed }),
        signal,
      });
      if (!response.ok || response.body === null) await answerOf(response);
      noteConnection({ isAway: false });
      following.onState('connected');
      const messages = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream())
        .getReader();
      let waiting: LiveEvent[] = [];
      let isDue = false;
      const handOver = (): void => {
        if (waiting.length > 0) following.onEvents(waiting);
        waiting = [];
      };
      const flush = (): void => {
        isDue = false;
        handOver();
      };
      for (let next = await messages.read(); !next.done; next = await messages.read()) {
        const { id, event, data } = next.value;
        if (id === undefined) continue;
        after = id;
        waiting.push(new ReceivedEvent(id, event ?? '', data));
        if (!isDue) soon(flush);
        isDue = true;
        // A page without frames would gather them without limit.
        if (waiting.length >= mostWaiting) handOver();
      }
    } catch (fault) {
      if (signal.aborted) return;
      if (fault instanceof ApiError && fault.status >= 400 && fault.status < 500) throw fault;
      if (!(fault instanceof ApiError)) noteConnection({ isAway: true });
    }
    following.onState('waiting');
    await pause(1_000);
  }
}

async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Thousands of events a second become one update of the page a frame; a hidden page gets no frames. */
function soon(work: () => void): void {
  if (document.hidden) setTimeout(work, 250);
  else requestAnimationFrame(work);
}

export function useIsHidden(): boolean {
  const [isHidden, setHidden] = useState(document.hidden);
  useEffect(() => {
    const onChange = (): void => setHidden(document.hidden);
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, []);
  return isHidden;
}

/**
 * A number that changes, at most once a second, when the ledger gets one of these events. It also changes when the feed is
 * followed again, since such events may have been recorded meanwhile.
 */
export function useLiveVersion(types: readonly string[], run: string | null = null): number {
  const [version, setVersion] = useState(0);
  const isHidden = useIsHidden();
  const hasFollowed = useRef(false);
  const key = [...types, run ?? ''].join(' ');
  useEffect(() => {
    if (!isServed || isHidden) return;
    const stop = new AbortController();
    const query = new URLSearchParams(types.map((type) => ['type', type]));
    if (run !== null) query.set('run', run);
    let due: ReturnType<typeof setTimeout> | undefined;
    const onEvents = (): void => {
      due ??= setTimeout(() => {
        due = undefined;
        setVersion((before) => before + 1);
      }, 1_000);
    };
    const onState = (state: 'connected' | 'waiting'): void => {
      if (state === 'waiting') return;
      if (hasFollowed.current) setVersion((before) => before + 1);
      hasFollowed.current = true;
    };
    const followWhenThere = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        try {
          await follow(query.toString(), { onEvents, onState }, stop.signal);
        } catch (fault) {
          if (!(fault instanceof ApiError) || fault.status !== 404) return;
          // A run that is not there yet may begin, and all it recorded until it is found is new.
          hasFollowed.current = true;
          await pause(2_000);
        }
      }
    };
    void followWhenThere();
    return () => {
      clearTimeout(due);
      stop.abort();
    };
  }, [key, isHidden]);
  return version;
}

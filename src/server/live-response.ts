// The answer to GET /live: server-sent events. The id of each is its cursor, from which a client resumes.
import type { z } from 'zod';
import type { live as endpoint } from './endpoints.ts';
import type { LiveFeed } from './live.ts';
import { type LiveFilter, requireKnown, runId } from './live-events.ts';
import type { Backend } from './operation.ts';
import { bytesOf } from './route.ts';

interface LiveOptions {
  readonly backend: Backend;
  readonly live: LiveFeed;
  readonly limits: {
    /** Time between signs of life while nothing is recorded. */
    readonly heartbeatMs: number;
    /** Time for the client to take what was sent. */
    readonly stallMs: number;
  };
  /** Gives the slot back. */
  readonly release: () => void;
  readonly stopped: AbortSignal;
  /** The client takes nothing: closes its connection. */
  readonly onDrop: () => void;
}

const signOfLife = bytesOf(': nothing new\n\n');

/** The feed is read only as fast as the client reads, so a slow client costs no memory. */
export async function liveResponse(
  request: Request,
  { type = [], stream = [], run, after }: z.infer<(typeof endpoint)['parameters']>,
  { backend, live, limits, release, stopped, onDrop }: LiveOptions,
): Promise<Response> {
  const gone = new AbortController();
  const signal = AbortSignal.any([request.signal, stopped, gone.signal]);
  const filter: LiveFilter = {
    types: type,
    streams: stream,
    run: run === undefined ? null : await idOf(run, backend, signal),
  };
  if (type.length + stream.length > 0) await knownBy(filter, backend, signal);
  const cursor = after ?? request.headers.get('last-event-id');
  const options = { signal, heartbeatMs: limits.heartbeatMs };
  const groups = await live.open(filter, cursor, options).catch((fault: unknown) => {
    gone.abort('the request failed');
    throw fault;
  });
  let stall: NodeJS.Timeout | null = null;
  const end = (): void => {
    clearTimeout(stall ?? undefined);
    gone.abort('the client is gone');
    release();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Headers reach the client at once, not with the first event.
        controller.enqueue(bytesOf('retry: 1000\n\n'));
      },
      async pull(controller) {
        clearTimeout(stall ?? undefined);
        try {
          const next = await groups.next();
          if (next.done === true) {
            end();
            return controller.close();
          }
          controller.enqueue(next.value.length === 0 ? signOfLife : next.value);
          stall = setTimeout(() => {
            end();
            onDrop();
          }, limits.stallMs);
        } catch (fault) {
          end();
          controller.error(fault);
        }
      },
      async cancel() {
        end();
        await groups.return();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' } });
}

async function knownBy({ types, streams }: LiveFilter, backend: Backend, signal: AbortSignal): Promise<void> {
  await backend.call(requireKnown, { types, streams }, { signal }).next();
}

async function idOf(run: string, backend: Backend, signal: AbortSignal): Promise<string> {
  for await (const id of backend.call(runId, { run }, { signal })) return id;
  return run;
}

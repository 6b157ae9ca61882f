// The answer to GET /live: server-sent events. The id of each is its cursor, from which a client resumes.
import type { z } from 'zod';
import type { live as endpoint } from './endpoints.ts';
import { type LiveEvent, type LiveFeed, type LiveFilter, runId } from './live.ts';
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
          controller.enqueue(bytesOf(next.value.length === 0 ? ': nothing new\n\n' : next.value.map(sse).join('')));
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

async function idOf(run: string, backend: Backend, signal: AbortSignal): Promise<string> {
  for await (const id of backend.call(runId, { run }, { signal })) return id;
  return run;
}

/** Line breaks within a value would begin another field. */
function sse({ cursor, type, json }: LiveEvent): string {
  return `id: ${oneLine(cursor)}\nevent: ${oneLine(type)}\ndata: ${json}\n\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\0]/g, ' ');
}

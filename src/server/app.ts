// The HTTP application: from a request through its checks to an operation, and from its pieces to an answer.
import { Hono } from 'hono';
import { IcecoreError } from '../../schemas/errors.ts';
import { type ServerIndex, serverIndex } from '../../schemas/server-output.ts';
import { placeHeader, type ServedPlace } from '../library/own-server.ts';
import { icecoreVersion } from '../library/version.ts';
import { isBinaryEvent, structuredEvent } from './binary-event.ts';
import { type Body, bodyOf, textOf } from './body.ts';
import * as all from './endpoints.ts';
import { endpoints } from './endpoints.ts';
import { errorResponse, RequestRefused, requestError, stopping } from './errors.ts';
import { requireOwnOrigin, safeHeaders } from './guard.ts';
import { LiveFeed } from './live.ts';
import { liveResponse } from './live-response.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { openApi } from './openapi.ts';
import type { Backend } from './operation.ts';
import { probe, routes } from './operations.ts';
import { type Page, pageResponse } from './page.ts';
import { type Access, type Endpoint, ofBody, parametersIn, type Route, type RouteKind } from './route.ts';
import { ownerRoutes } from './routes/owner.ts';
import type { Tokens } from './tokens.ts';

/** Limits of requests. */
export interface Limits {
  /** Of a body that is not a stream of lines. */
  readonly bodyBytes: number;
  readonly bodyIdleMs: number;
  /** Requests under way, by kind; further ones are refused. */
  readonly concurrent: Readonly<Record<RouteKind, number>>;
  /** Time for an answer to begin and end. */
  readonly answerSeconds: number;
  /** Time for a client to take what was sent. */
  readonly stallMs: number;
  readonly heartbeatMs: number;
  /** How long the ledger is followed after the last live client left. */
  readonly liveIdleMs: number;
}

export const usualLimits: Limits = {
  bodyBytes: 16 * 1024 * 1024,
  bodyIdleMs: 30_000,
  concurrent: { answer: 64, query: 16, ingest: 64, live: 2_000 },
  answerSeconds: 120,
  stallMs: 30_000,
  heartbeatMs: 15_000,
  liveIdleMs: 10_000,
};

export interface AppOptions {
  readonly backend: Backend;
  /** The URL of the ledger. */
  readonly ledger: string;
  /** What a command of the owner must mean; null: commands cannot ask. */
  readonly place: ServedPlace | null;
  /** Null: everything is allowed. */
  readonly tokens: Tokens | null;
  /** Names of this server; null: any. */
  readonly names: readonly string[] | null;
  /** Null: it is not built. */
  readonly page: Page | null;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly limits: Limits;
  /** Aborts when no new request is answered. */
  readonly draining: AbortSignal;
  /** Aborts when requests under way are stopped. */
  readonly stopped: AbortSignal;
}

/** What @hono/node-server passes along; absent in tests without a socket. */
interface Bindings {
  readonly outgoing?: { destroy(): void };
  /** The request came through the socket of the owner, which no page of a browser can reach. */
  readonly isOwner?: true;
}

type Environment = { Bindings: Bindings; Variables: { route: string } };

export interface App {
  readonly hono: Hono<Environment>;
  readonly live: LiveFeed;
  /** Requests under way. */
  readonly busy: () => number;
}

export function createApp(options: AppOptions): App {
  const { backend, metrics, log, limits } = options;
  const hono = new Hono<Environment>();
  const live = new LiveFeed({
    ...{ backend, signal: options.draining, idleMs: limits.liveIdleMs },
    onFault: (fault) => log('error', 'the live feed failed', { fault: String(fault) }),
  });
  const slots = new Slots(limits.concurrent);
  metrics.watch('requests_under_way', 'Requests under way', () => slots.taken);
  metrics.watch('live_clients', 'Clients of the live feed', () => live.clients);

  hono.use(async (context, next) => {
    const began = performance.now();
    await next();
    const { headers } = context.res;
    for (const [name, value] of Object.entries(safeHeaders)) if (!headers.has(name)) headers.set(name, value);
    const { status } = context.res;
    const route = context.get('route') ?? 'none';
    const seconds = (performance.now() - began) / 1000;
    metrics.requests.inc({ route, status });
    metrics.seconds.observe({ route }, seconds);
    log(status >= 500 ? 'error' : 'info', 'request', {
      ...{ method: context.req.method, path: context.req.path, route, status },
      seconds: Number(seconds.toFixed(3)),
    });
  });
  hono.onError((fault) => errorResponse(requestError(fault, limits.answerSeconds)));
  hono.notFound((context) => errorResponse(unknownRoute(context.req.method, context.req.path)));

  hono.use(async (context, next) => {
    if (context.env?.isOwner !== true) requireOwnOrigin(context.req.raw.headers, options.names);
    await next();
  });
  // The page holds no data, and asks for a token where one is needed.
  hono.get('/', async (context, next) => {
    if (!context.req.header('accept')?.includes('text/html')) return await next();
    context.set('route', 'page');
    return context.redirect('/ui/');
  });
  hono.get('/ui', (context) => context.redirect('/ui/'));
  hono.get('/ui/*', (context) => {
    context.set('route', 'page');
    return pageResponse(options.page, context.req.path.slice('/ui/'.length), context.req.raw);
  });
  const drop = (route: string, outgoing: IncomingRequest['outgoing']): void => {
    metrics.dropped.inc();
    log('warning', 'a client does not read and was dropped', { route });
    outgoing?.destroy();
  };
  /** The way of every request: its access, its slot, its parameters, its answer. */
  const serve = (endpoint: Endpoint, respond: (incoming: IncomingRequest) => Promise<Response> | Response): void => {
    hono.on(endpoint.method, endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (context) => {
      context.set('route', endpoint.name);
      const { raw } = context.req;
      if (endpoint.access !== null) {
        if (options.draining.aborted) throw new IcecoreError('interrupted', stopping);
        if (context.env?.isOwner !== true)
          await options.tokens?.require(endpoint.access, raw.headers.get('authorization'));
      }
      const values = { ...singleOrList(context.req.queries()), ...context.req.param() };
      const release = endpoint.access === null ? () => {} : slots.take(endpoint.kind);
      try {
        const { isOwner = false, outgoing = null } = context.env ?? {};
        return await respond({ request: raw, isOwner, values, release, outgoing });
      } catch (fault) {
        release();
        throw fault;
      }
    });
  };
  const simple = (endpoint: Endpoint, respond: () => Promise<Response> | Response): void =>
    serve(endpoint, async ({ values, release }) => {
      parametersIn(endpoint, values);
      return released(await respond(), release);
    });
  const document = JSON.stringify(openApi(endpoints));
  simple(all.healthz, () => Response.json({ status: options.draining.aborted ? 'stopping' : 'ok' }));
  simple(all.readyz, () => readiness(options));
  simple(all.openapi, () => new Response(document, { headers: { 'content-type': 'application/json' } }));
  serve(all.index, async ({ request, isOwner, values, release }) => {
    parametersIn(all.index, values);
    const access = isOwner ? 'admin' : await options.tokens?.accessOf(request.headers.get('authorization'));
    return released(Response.json(indexOf(options.ledger, access ?? 'admin')), release);
  });
  simple(
    all.metrics,
    async () => new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } }),
  );
  serve(all.live, ({ request, values, release, outgoing }) =>
    liveResponse(request, parametersIn(all.live, values), {
      ...{ backend, live, limits, release, stopped: options.draining },
      onDrop: () => drop('live', outgoing),
    }),
  );
  for (const route of routes)
    serve(route, (incoming) => answer(route, incoming, options, () => drop(route.name, incoming.outgoing)));
  for (const route of ownerRoutes)
    serve(route, (incoming) => {
      if (!incoming.isOwner) throw unknownRoute(route.method, route.path);
      requirePlace(incoming.request, options.place);
      return answer(route, incoming, options, () => drop(route.name, incoming.outgoing));
    });
  return { hono, live, busy: () => slots.taken };
}

/** A request with its parameters as text. */
interface IncomingRequest {
  readonly request: Request;
  /** Of the socket, which needs no token. */
  readonly isOwner: boolean;
  readonly values: Readonly<Record<string, unknown>>;
  /** Gives the slot back; called when the answer has ended. */
  readonly release: () => void;
  /** The connection; null in tests without one. */
  readonly outgoing: Bindings['outgoing'] | null;
}

/** Errors before the first piece become an answer with their status; a later one ends the answer without its end. */
async function answer(
  route: Route,
  { request, values, release }: IncomingRequest,
  options: AppOptions,
  onDrop: () => void,
): Promise<Response> {
  const { backend, limits, stopped, metrics } = options;
  const isTimed = route.kind !== 'ingest';
  const timeout = isTimed ? [AbortSignal.timeout(limits.answerSeconds * 1000)] : [];
  const signal = AbortSignal.any([request.signal, stopped, ...timeout]);
  let body: Body | null = null;
  try {
    body =
      route.body === null
        ? null
        : bodyOf(request, route.body, { maxBytes: limits.bodyBytes, idleMs: limits.bodyIdleMs });
    const parameters = parametersIn(route, { ...values, ...(await givenByBody(route, values, body)) });
    const input = body === null || route.kind !== 'ingest' ? {} : { input: inputOf(request, body, metrics) };
    const pieces = backend.call(route, parameters, { signal, ...input });
    const first = await pieces.next();
    const form = route.answers.find(({ media }) => isForm(media, parameters)) ?? route.answers[0];
    const headers = { 'content-type': form.media };
    if (first.done === true) return released(new Response(null, { headers }), release);
    const second = form.media === 'application/json' && route.kind === 'answer' ? await pieces.next() : null;
    if (second?.done === true) return released(new Response(Buffer.from(first.value), { headers }), release);
    const begun = second === null ? [first.value] : [first.value, second.value];
    return new Response(streamOf(begun, pieces, { release, onDrop, stallMs: limits.stallMs }), { headers });
  } catch (fault) {
    body?.bytes.destroy();
    throw requestError(body?.fault ?? (signal.aborted ? signal.reason : fault), limits.answerSeconds);
  }
}

/** The parameters that the body gives. */
async function givenByBody(
  route: Route,
  values: IncomingRequest['values'],
  body: Body | null,
): Promise<Readonly<Record<string, string>>> {
  const twice = ofBody(route).find((name) => name in values);
  if (twice !== undefined)
    throw new IcecoreError('usage', `${route.method} ${route.path}: ${twice} comes from the body, not from the URL`, {
      facts: { field: twice },
    });
  const { parameter, form } = route.body ?? {};
  return {
    ...(parameter === undefined || body === null ? {} : { [parameter]: await textOf(body) }),
    ...(form === undefined || body === null ? {} : { [form]: body.isStream ? 'ndjson' : 'json' }),
  };
}

function isForm(media: string, { format }: Readonly<Record<string, unknown>>): boolean {
  if (format === 'arrow') return media.includes('arrow');
  return format === 'ndjson' && media === 'application/x-ndjson';
}

function released(response: Response, release: () => void): Response {
  release();
  return response;
}

function inputOf({ headers }: Request, body: Body, metrics: Metrics): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = isBinaryEvent(headers) ? structuredEvent(headers, body) : body.bytes;
  return counted(bytes, metrics);
}

async function* counted(bytes: AsyncIterable<unknown>, metrics: Metrics): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of bytes) {
    metrics.ingested.inc((piece as Uint8Array).byteLength);
    yield piece as Uint8Array;
  }
}

interface StreamOptions {
  readonly release: () => void;
  /** Time for the client to take what was sent. */
  readonly stallMs: number;
  /** The client takes nothing: closes its connection. */
  readonly onDrop: () => void;
}

/** An operation is not held up for ever by a client that does not read: it may hold the tables. */
function streamOf(
  begun: (Uint8Array | undefined)[],
  pieces: AsyncGenerator<Uint8Array, void, undefined>,
  { release, stallMs, onDrop }: StreamOptions,
): ReadableStream<Uint8Array> {
  let stall: NodeJS.Timeout | undefined;
  const leave = async (): Promise<void> => {
    clearTimeout(stall);
    release();
    await pieces.return();
  };
  return new ReadableStream(
    {
      async pull(controller) {
        clearTimeout(stall);
        try {
          const early = begun.shift();
          const next = early === undefined ? await pieces.next() : { done: false, value: early };
          if (next.value === undefined) {
            release();
            return controller.close();
          }
          controller.enqueue(next.value);
          stall = setTimeout(() => {
            void leave();
            onDrop();
          }, stallMs);
        } catch (fault) {
          release();
          controller.error(fault);
        }
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
}

async function readiness({ backend, draining, log }: AppOptions): Promise<Response> {
  if (draining.aborted) return Response.json({ status: 'stopping' }, { status: 503 });
  try {
    for await (const _ of backend.call(probe, {}, { signal: AbortSignal.timeout(5_000) })) break;
    return Response.json({ status: 'ok' });
  } catch (fault) {
    // A workspace without a ledger is ready to get its first event.
    if (fault instanceof IcecoreError && fault.kind === 'not-found') return Response.json({ status: 'ok' });
    log('error', 'the ledger does not answer', { fault: String(fault) });
    return Response.json({ status: 'failing' }, { status: 503 });
  }
}

function indexOf(ledger: string, access: Access): ServerIndex {
  return serverIndex.parse({
    ...{ name: 'icecore', version: icecoreVersion(), ledger, access },
    routes: endpoints.map(({ method, path, summary }) => ({ method, path, summary })),
  });
}

/** A command may mean another ledger, or be of another version, with other tables and forms of answers. */
function requirePlace(request: Request, place: ServedPlace | null): void {
  const key = place?.key ?? null;
  if (key !== null && request.headers.get(placeHeader) === key) return;
  throw new RequestRefused(409, 'conflict', 'this server has another ledger, other tables or another version');
}

/** A path with another method is not unknown. */
function unknownRoute(method: string, path: string): IcecoreError {
  const same = endpoints.filter((one) => one.path === path);
  const others = (same.length > 0 ? same : endpoints.filter((one) => pattern(one).test(path))).map((one) => one.method);
  if (others.length > 0)
    return new RequestRefused(405, 'usage', `${path}: found ${method}, allowed: ${others.join(', ')}`, {
      facts: { found: method, allowed: others },
      headers: { allow: others.join(', ') },
    });
  return new RequestRefused(404, 'not-found', `there is no route ${path.slice(0, 200)}`, {
    remedy: 'GET / lists the routes.',
  });
}

function pattern({ path }: Endpoint): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function singleOrList(
  queries: Readonly<Record<string, readonly string[]>>,
): Record<string, string | readonly string[]> {
  const entries = Object.entries(queries).map(([name, values]) => [
    name,
    values.length === 1 ? (values[0] ?? '') : values,
  ]);
  return Object.fromEntries(entries) as Record<string, string | readonly string[]>;
}

/** Requests under way. */
class Slots {
  readonly #most: Limits['concurrent'];
  readonly #taken = { answer: 0, query: 0, ingest: 0, live: 0 };

  constructor(most: Limits['concurrent']) {
    this.#most = most;
  }

  get taken(): number {
    return Object.values(this.#taken).reduce((sum, one) => sum + one, 0);
  }

  /** Returns what gives the slot back. Throws if all are taken. */
  take(kind: keyof Limits['concurrent']): () => void {
    if (this.#taken[kind] >= this.#most[kind])
      throw new RequestRefused(503, 'unavailable', `${this.#most[kind]} requests of this kind are under way`, {
        remedy: 'Try again in a second.',
        headers: { 'retry-after': '1' },
      });
    this.#taken[kind]++;
    let isTaken = true;
    return () => {
      if (isTaken) this.#taken[kind]--;
      isTaken = false;
    };
  }
}

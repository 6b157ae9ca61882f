// A running server: listens, keeps the SQL tables fresh, and stops without losing what it has begun.
import { createServer, type ServerOptions as HttpOptions, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { getRequestListener, RequestError } from '@hono/node-server';
import { IcecoreError } from '../../schemas/errors.ts';
import { icecoreErrorOf } from '../library/faults.ts';
import type { ServedPlace } from '../library/own-server.ts';
import { type App, createApp, type Limits, usualLimits } from './app.ts';
import { errorResponse, RequestRefused, stopping } from './errors.ts';
import { allowedNames, isLoopback, safeHeaders } from './guard.ts';
import type { Log } from './log.ts';
import { Metrics } from './metrics.ts';
import type { Backend } from './operation.ts';
import { keepFresh } from './operations.ts';
import { listenForOwner } from './owner-socket.ts';
import { readPage } from './page.ts';
import { Tokens } from './tokens.ts';

export interface ServerOptions {
  readonly backend: Backend;
  /** The URL of the ledger. */
  readonly ledger: string;
  readonly place: ServedPlace | null;
  /** The folder of the workspace, where the socket of its owner is. */
  readonly workspace: string;
  readonly host: string;
  /** Null: the usual one, or a free one. */
  readonly port: number | null;
  /** Further names by which it may be called, for a proxy before it. */
  readonly allowHosts: readonly string[];
  /** The file of tokens. */
  readonly tokens: string | null;
  readonly log: Log;
  readonly limits?: Partial<Limits>;
}

/** Tried first, so that a tunnel that was set up once fits again. */
const usualPort = 7420;

/** The time that requests under way have to end, before and after they are stopped. */
const graceMs = 5_000;

/** Throws before it listens if others could reach it without a token. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { backend, host, allowHosts, log } = options;
  const tokens =
    options.tokens === null ? null : await Tokens.open(options.tokens, (text) => log('warning', `tokens: ${text}`));
  if (tokens === null && !(isLoopback(host) && allowHosts.length === 0)) throw tokensNeeded(host, allowHosts);
  const page = readPage();
  const metrics = new Metrics();
  metrics.watchProcess();
  const [draining, stopped] = [new AbortController(), new AbortController()];
  const app = createApp({
    ...{ backend, ledger: options.ledger, place: options.place, tokens, page, metrics, log },
    names: allowedNames(host, allowHosts),
    limits: { ...usualLimits, ...options.limits },
    ...{ draining: draining.signal, stopped: stopped.signal },
  });
  const server = httpServer(app.hono.fetch);
  await listen(server, host, options.port);
  const forOwner = httpServer((request, env) => app.hono.fetch(request, { ...env, isOwner: true }));
  const listening = await listenForOwner(forOwner, options.workspace);
  const socket = 'path' in listening ? listening.path : null;
  if ('why' in listening) log('info', 'commands of this workspace cannot use this server', { why: listening.why });
  const servers: Parts['servers'] = socket === null ? [server] : [server, forOwner];
  const running = new RunningServer({ servers, socket, app, hasPage: page !== null, backend, draining, stopped, log });
  running.begin(metrics);
  return running;
}

function httpServer(fetch: Parameters<typeof getRequestListener>[0]): Server {
  const options: HttpOptions = {
    ...{ maxHeaderSize: 16 * 1024, headersTimeout: 10_000, keepAliveTimeout: 10_000 },
    // Bodies have limits of their own: a stream of events may take days.
    ...{ requestTimeout: 0, connectionsCheckingInterval: 5_000 },
    // Node would refuse a request without Host with an empty answer.
    requireHostHeader: false,
  };
  const server = createServer(
    options,
    getRequestListener(fetch, { overrideGlobalObjects: false, errorHandler: notServed }),
  );
  server.maxConnections = 4_096;
  server.on('clientError', answerMalformed);
  return server;
}

/** A request whose Host or path is no URL does not reach the routes. */
function notServed(fault: unknown): Response {
  if (!(fault instanceof RequestError)) return errorResponse(icecoreErrorOf(fault));
  return errorResponse(
    new RequestRefused(400, 'bad-input', `the request has no valid Host or path: ${fault.message}`, {
      remedy: 'Send the header Host with a name of this server, and a path that starts with /.',
      headers: safeHeaders,
    }),
  );
}

/** What Node refuses before it is a request gets an error like every other. */
function answerMalformed(fault: NodeJS.ErrnoException, socket: Duplex): void {
  if (fault.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, message] = malformed[fault.code ?? ''] ?? ['400 Bad Request', 'this is no HTTP request'];
  const body = JSON.stringify({ error: { kind: 'bad-input', message } });
  const head = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`);
}

const malformed: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'the URL and the headers have more than 16 KiB: send a long query as the body of POST /sql',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the headers came too slowly'],
};

function tokensNeeded(host: string, allowHosts: readonly string[]): IcecoreError {
  const what = isLoopback(host) ? `--allow-host ${allowHosts.join(',')}` : `--host ${host}`;
  return new IcecoreError('usage', `${what}: others could read and write the ledger, so the server demands tokens`, {
    facts: { field: '--tokens', found: null, host },
    remedy:
      'Name a file of tokens with --tokens FILE, or stay on this machine: a tunnel (ssh -L) needs no other address.',
  });
}

async function listen(server: Server, host: string, port: number | null): Promise<void> {
  const ports = port === null ? [usualPort, 0] : [port];
  for (const [index, one] of ports.entries()) {
    try {
      return await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port: one }, () => {
          server.off('error', reject);
          resolve();
        });
      });
    } catch (fault) {
      const { code } = fault as NodeJS.ErrnoException;
      if (index === ports.length - 1) throw cannotListen(host, one, code ?? String(fault));
    }
  }
}

function cannotListen(host: string, port: number, code: string): IcecoreError {
  const what = code === 'EADDRINUSE' ? 'another program uses this port' : code;
  return new IcecoreError('unavailable', `cannot listen on ${host}, port ${port}: ${what}`, {
    facts: { host, port, code },
    remedy: code === 'EADDRINUSE' ? 'Leave out --port to take a free one.' : 'Check --host and --port.',
  });
}

interface Parts {
  /** On the address, and on the socket. */
  readonly servers: readonly [Server, ...Server[]];
  readonly socket: string | null;
  readonly app: App;
  readonly hasPage: boolean;
  readonly backend: Backend;
  readonly draining: AbortController;
  readonly stopped: AbortController;
  readonly log: Log;
}

export class RunningServer {
  readonly #parts: Parts;
  #work: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether there is a page for browsers; otherwise only programs are answered. */
  get hasPage(): boolean {
    return this.#parts.hasPage;
  }

  get port(): number {
    return (this.#parts.servers[0].address() as AddressInfo).port;
  }

  get url(): string {
    const { address, family } = this.#parts.servers[0].address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${this.port}/`;
  }

  /** The socket that only its owner can open; null if there is none. */
  get socket(): string | null {
    return this.#parts.socket;
  }

  /** Starts what the server does by itself. */
  begin(metrics: Metrics): void {
    this.#work = this.#keepFresh(metrics);
  }

  /**
   * Takes no new request, lets those under way end, then stops them: an append that was not acknowledged may be repeated. Closes
   * the ledger last.
   */
  async stop(): Promise<void> {
    const { servers, app, backend, draining, stopped, log } = this.#parts;
    draining.abort(stopping);
    const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
    for (const server of servers) server.closeIdleConnections();
    await this.#idle();
    if (app.busy() > 0) log('warning', 'requests are stopped', { underWay: app.busy() });
    stopped.abort(stopping);
    await this.#idle();
    for (const server of servers) server.closeAllConnections();
    await Promise.all(closed);
    await Promise.all([this.#work, app.live.ended()]);
    await backend.close();
  }

  async #idle(): Promise<void> {
    const { app, servers } = this.#parts;
    const end = performance.now() + graceMs;
    while (app.busy() > 0 && performance.now() < end) await pause(20);
    for (const server of servers) server.closeIdleConnections();
  }

  /** As icecore tables refresh --follow. A ledger that does not exist yet is waited for. */
  async #keepFresh(metrics: Metrics): Promise<void> {
    const { backend, draining, log } = this.#parts;
    const { signal } = draining;
    let last = '';
    while (!signal.aborted) {
      try {
        for await (const { events, seconds } of backend.call(keepFresh, {}, { signal })) {
          metrics.tableEvents.set(events);
          metrics.refreshSeconds.set(seconds);
          last = '';
        }
      } catch (fault) {
        const said = fault instanceof Error ? fault.message : String(fault);
        const isMissing = fault instanceof IcecoreError && fault.kind === 'not-found';
        if (!signal.aborted && !isMissing && said !== last)
          log('error', 'the tables are not refreshed', { fault: said });
        last = said;
      }
      await pause(1_000, undefined, { signal }).catch(() => {});
    }
  }
}

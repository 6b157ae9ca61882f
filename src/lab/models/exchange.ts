// One HTTP request and its response, with a time limit for each part and a size limit for the response.
//
// This uses node:http rather than fetch or undici: fetch waits at most 300 s for a response to begin, and a reasoning
// model may need longer; and neither reports whether a connection had been used before, which distinguishes a question
// that never arrived from one that may be charged.
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import type { Limits } from './entries.ts';
import { EventStream } from './event-stream.ts';
import { CutShort, ModelFault, NotHttp, type Place, TimedOut, TooLarge, Unreachable, type Waited } from './faults.ts';
import type { Secret } from './secret.ts';

/** The maximum size of an answer. */
const mostBytes = 10 * 1024 * 1024;

/** The start of a refusal is enough to explain it. */
const mostOfRefusal = 64 * 1024;

interface Call {
  readonly place: Place;
  /** Never shown in a fault. */
  readonly secret: Secret | null;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: a GET request. */
  readonly body: Buffer | null;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The raw bytes, or the JSON assembled from a stream. */
  readonly body: Buffer | object;
  readonly firstByteMs: number;
}

/** Resolves to any HTTP response, including refusals. Throws a ModelFault, or the signal's reason. */
export async function exchange(call: Call): Promise<Received> {
  const { place, limits, clock } = call;
  const begun = clock.now();
  const timers = new Timers(place, clock);
  const signal = AbortSignal.any([call.signal, timers.signal]);
  signal.throwIfAborted();
  timers.start('whole', limits.wholeMs);
  try {
    const response = await responseTo({ ...call, signal }, timers);
    timers.stop('firstByte');
    const firstByteMs = clock.now() - begun;
    const { statusCode: status = 0, headers } = response;
    return { status, headers, body: await bodyOf(response, call), firstByteMs };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    timers.stop('connect', 'firstByte', 'whole');
  }
}

/** Abort with TimedOut if a part of the exchange takes too long. */
class Timers {
  readonly #place: Place;
  readonly #clock: Clock;
  readonly #timeUp = new AbortController();
  readonly #running = new Map<Waited, () => void>();

  constructor(place: Place, clock: Clock) {
    this.#place = place;
    this.#clock = clock;
  }

  get signal(): AbortSignal {
    return this.#timeUp.signal;
  }

  start(part: Waited, ms: number): void {
    this.stop(part);
    const abort = (): void => this.#timeUp.abort(new TimedOut(this.#place, part, ms));
    this.#running.set(part, this.#clock.after(ms, abort));
  }

  stop(...parts: readonly Waited[]): void {
    for (const part of parts) this.#running.get(part)?.();
  }
}

async function responseTo(call: Call, timers: Timers): Promise<IncomingMessage> {
  const { place, url, headers, body, limits, signal } = call;
  const isSecure = url.protocol === 'https:';
  const method = body === null ? 'GET' : 'POST';
  let isConnected = false;
  const connected = (): void => {
    isConnected = true;
    timers.stop('connect');
    if (!signal.aborted) timers.start('firstByte', limits.firstByteMs);
  };
  timers.start('connect', limits.connectMs);
  const request = (isSecure ? secure : plain)(url, { method, headers, signal });
  request.on('socket', (socket) => {
    if (socket.connecting) socket.once(isSecure ? 'secureConnect' : 'connect', connected);
    else connected();
  });
  request.end(body);
  try {
    return await answerTo(request, place);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof ModelFault || signal.aborted) throw error;
    const code = codeOf(error);
    // The server just closed a kept-alive connection: the question was not sent yet.
    if (request.reusedSocket && code === 'ECONNRESET') return await responseTo(call, timers);
    if (code === 'HPE_HEADER_OVERFLOW') throw new TooLarge(place, 'head of its answer', 16_384);
    if (code.startsWith('HPE_')) throw new NotHttp(place, code, error);
    throw new Unreachable(place, code, wordsOf(error), isConnected, error);
  }
}

function answerTo(request: ClientRequest, place: Place): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      reject(new NotHttp(place, `status ${response.statusCode}`, undefined));
    });
  });
}

async function bodyOf(
  response: IncomingMessage,
  { place, secret }: Pick<Call, 'place' | 'secret'>,
): Promise<Buffer | object> {
  const { statusCode: status = 0, headers } = response;
  const isAnswer = status >= 200 && status < 300;
  const isStream = isAnswer && /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
  const stream = isStream ? new EventStream(place, mostBytes, secret) : null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (stream !== null) {
        stream.take(chunk);
        if (stream.isDone) break;
        continue;
      }
      if (isAnswer && bytes > mostBytes) throw new TooLarge(place, 'answer', mostBytes);
      chunks.push(chunk);
      if (!isAnswer && bytes > mostOfRefusal) break;
    }
    // A stream that ends right after its last piece leaves its connection reusable.
    if (stream !== null) await setImmediate(response.resume());
    return stream === null ? Buffer.concat(chunks) : stream.whole();
  } catch (error) {
    throw error instanceof ModelFault ? error : new CutShort(place, bytes, error);
  } finally {
    if (!response.complete) response.destroy();
  }
}

/** ECONNREFUSED and the like; if several addresses were tried, the first one's code. */
function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return code;
  return error instanceof AggregateError && error.errors[0] instanceof Error ? codeOf(error.errors[0]) : error.name;
}

const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: no server listens there',
  ECONNRESET: 'the connection closed before the response',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the host name cannot be looked up',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  EPIPE: 'the connection closed while the question was sent',
  EPROTO: 'the server does not use TLS: http instead of https?',
};

function wordsOf(error: Error): string {
  const code = codeOf(error);
  if (code in meanings) return `${meanings[code]} (${code})`;
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { message } = first instanceof Error ? first : error;
  return `no connection (${code === message ? code : `${code}: ${message}`})`;
}

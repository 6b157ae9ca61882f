// One request and its answer over HTTP, with limits to the time each part may take and to the size of what comes back.
//
// It is node:http rather than fetch because fetch has a limit of its own that cannot be moved: it waits 300 s for an
// answer to begin, and a model that thinks may need longer.
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import type { Clock } from '../clock.ts';
import type { Limits } from '../entries.ts';
import { CutShort, NotHttp, TimedOut, TooLarge, Unreachable, type Waited } from '../faults/connection.ts';
import type { ModelFault, Place } from '../faults/fault.ts';
import { type Body, bodyOf } from './body.ts';
import { codeOf, wordsOf } from './broken.ts';

export interface Call {
  readonly place: Place;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The bytes, or the JSON that was put together from the pieces of a stream. */
  readonly body: Buffer | object;
  readonly firstByteMs: number;
}

/** Resolves to whatever was answered, also when that is a refusal. Throws a ModelFault, or the signal's reason. */
export async function exchange(call: Call): Promise<Received> {
  call.signal.throwIfAborted();
  return await new Exchange(call).received;
}

class Exchange {
  readonly #call: Call;
  readonly #outcome = Promise.withResolvers<Received>();
  readonly #begun: number;
  readonly #alarms = new Map<Waited, () => void>();
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  #body: Body | undefined;
  #isConnected = false;
  #isSettled = false;

  constructor(call: Call) {
    this.#call = call;
    this.#begun = call.clock.now();
    call.signal.addEventListener('abort', this.#abort, { once: true });
    this.#alarm('whole', call.limits.wholeMs);
    this.#send();
  }

  get received(): Promise<Received> {
    return this.#outcome.promise;
  }

  #send(): void {
    const { url, headers, body, limits } = this.#call;
    const isSecure = url.protocol === 'https:';
    this.#alarm('connect', limits.connectMs);
    const request = (isSecure ? secure : plain)(url, { method: 'POST', headers });
    this.#request = request;
    request.on('socket', (socket) => {
      if (!socket.connecting) this.#connected();
      else socket.once(isSecure ? 'secureConnect' : 'connect', () => this.#connected());
    });
    request.on('error', (error) => this.#broke(request, error));
    request.on('response', (response) => this.#answered(response));
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      this.#fail(new NotHttp(this.#call.place, `status ${response.statusCode}`, undefined));
    });
    request.end(body);
  }

  #connected(): void {
    this.#isConnected = true;
    this.#callOff('connect');
    if (!this.#isSettled) this.#alarm('firstByte', this.#call.limits.firstByteMs);
  }

  /** A connection that was kept may have been closed by the other side just now: then nothing was asked yet. */
  #broke(request: ClientRequest, error: Error): void {
    if (this.#isSettled) return;
    const code = codeOf(error);
    if (request.reusedSocket && this.#body === undefined && code === 'ECONNRESET') this.#send();
    else this.#fail(this.#faultOf(code, error));
  }

  #faultOf(code: string, error: Error): ModelFault {
    const { place } = this.#call;
    if (this.#body !== undefined) return new CutShort(place, this.#body.bytes, error);
    if (code === 'HPE_HEADER_OVERFLOW') return new TooLarge(place, 'head of its answer', 16_384);
    if (code.startsWith('HPE_')) return new NotHttp(place, code, error);
    return new Unreachable(place, code, wordsOf(error), this.#isConnected, error);
  }

  #answered(response: IncomingMessage): void {
    const { statusCode: status = 0, headers } = response;
    const firstByteMs = this.#clock.now() - this.#begun;
    const body = bodyOf(status, headers, this.#call.place);
    this.#response = response;
    this.#body = body;
    this.#callOff('firstByte');
    const finish = (): void => this.#settle(() => ({ status, headers, body: body.whole(), firstByteMs }));
    response.on('data', (chunk: Buffer) => {
      if (this.#isSettled) return;
      try {
        // What ends of its own a moment later leaves the connection to the next question.
        if (body.take(chunk) === 'enough') setImmediate(finish);
      } catch (fault) {
        this.#fail(fault);
      }
    });
    response.on('end', finish);
    response.on('error', (error) => this.#fail(new CutShort(this.#call.place, body.bytes, error)));
  }

  get #clock(): Clock {
    return this.#call.clock;
  }

  #alarm(waited: Waited, ms: number): void {
    this.#callOff(waited);
    const ring = (): void => this.#fail(new TimedOut(this.#call.place, waited, ms));
    this.#alarms.set(waited, this.#clock.after(ms, ring));
  }

  #callOff(waited: Waited): void {
    this.#alarms.get(waited)?.();
  }

  readonly #abort = (): void => this.#fail(this.#call.signal.reason);

  #fail(reason: unknown): void {
    this.#settle(() => {
      throw reason;
    });
  }

  /** Whatever was not read to its end takes its connection with it. */
  #settle(outcome: () => Received): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    for (const callOff of this.#alarms.values()) callOff();
    this.#call.signal.removeEventListener('abort', this.#abort);
    if (this.#response?.complete !== true) this.#request?.destroy();
    try {
      this.#outcome.resolve(outcome());
    } catch (reason) {
      this.#outcome.reject(reason);
    }
  }
}

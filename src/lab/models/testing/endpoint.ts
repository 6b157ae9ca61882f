// A real HTTP server with scripted responses, valid or not.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Fields } from '../answers.ts';

export interface Seen {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Fields;
  readonly socket: Socket;
}

export type Reply = (response: ServerResponse, seen: Seen) => void;

export class Endpoint {
  readonly seen: Seen[] = [];
  /** The number of questions in progress. */
  underWay = 0;
  readonly #server = createServer(async (request, response) => {
    this.underWay += 1;
    response.on('close', () => {
      this.underWay -= 1;
    });
    const text = Buffer.concat(await request.toArray().catch(() => [])).toString();
    const { url = '', headers, socket } = request;
    const seen = { path: url, headers, body: text === '' ? {} : (JSON.parse(text) as Fields), socket };
    this.seen.push(seen);
    this.#script(this.seen.length - 1, seen)(response, seen);
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
  });
  #script: (index: number, seen: Seen) => Reply = () => status(500);
  #arrived = Promise.withResolvers<void>();

  static async start(): Promise<Endpoint> {
    const made = new Endpoint();
    made.#server.listen(0, '127.0.0.1');
    await once(made.#server, 'listening');
    return made;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  /** Replies in order, repeating the last one. Forgets earlier requests. */
  replies(...replies: readonly [Reply, ...Reply[]]): void {
    this.script((index) => replies[Math.min(index, replies.length - 1)] as Reply);
  }

  script(script: (index: number, seen: Seen) => Reply): void {
    this.seen.length = 0;
    this.#script = script;
  }

  /** Resolves when this number of questions has arrived. */
  async arrived(count = 1): Promise<void> {
    while (this.seen.length < count) await this.#arrived.promise;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

export function status(code: number, body: unknown = '', headers: Record<string, string> = {}): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  return (response) => response.writeHead(code, { 'content-type': type, ...headers }).end(text);
}

export interface Spoken {
  readonly message?: Fields;
  readonly finish?: unknown;
  readonly usage?: unknown;
}

/** The response of a well-behaved endpoint. */
export function completion(text: string, { message = {}, finish = 'stop', usage = usual }: Spoken = {}): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_900_000_000,
    model: 'served-model',
    choices: [{ index: 0, message: { role: 'assistant', content: text, ...message }, finish_reason: finish }],
    usage,
  };
}

const usual = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };

export function answerReply(text: string, spoken: Spoken = {}): Reply {
  return status(200, completion(text, spoken));
}

/** The connection closes before the response, as when a machine goes down. */
export const resets: Reply = (_, { socket }) => socket.resetAndDestroy();

/** Never responds. */
export const silent: Reply = () => {};

/** Server-sent events, one per chunk. */
export function streams(...pieces: readonly (object | string)[]): Reply {
  const events = pieces.map((piece) => `data: ${typeof piece === 'string' ? piece : JSON.stringify(piece)}\n\n`);
  return (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join(''));
}

export function piece(delta: Fields, finish: string | null = null): object {
  return { model: 'served-model', choices: [{ index: 0, delta, finish_reason: finish }] };
}

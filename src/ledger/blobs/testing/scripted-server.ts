// A server with scripted answers, to test what no real server does on demand: transient errors, hangs, interruptions.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  /** `PUT /bucket/ab/cd….zst`, without the query. */
  readonly line: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export type Reply = (response: ServerResponse, seen: Seen) => void;

export class ScriptedServer {
  readonly seen: Seen[] = [];
  readonly #server = createServer((request, response) => this.#answer(request, response));
  #script: (seen: Seen, index: number) => Reply = () => status(500);

  static async start(): Promise<ScriptedServer> {
    const made = new ScriptedServer();
    made.#server.listen(0, '127.0.0.1');
    await once(made.#server, 'listening');
    return made;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on it gives these answers; `index` counts the requests from here. */
  answer(script: (seen: Seen, index: number) => Reply): void {
    this.seen.length = 0;
    this.#script = script;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.endpoint);
    const body = Buffer.concat(await request.toArray());
    const seen = { line: `${request.method} ${pathname}`, query: searchParams, headers: request.headers, body };
    this.seen.push(seen);
    this.#script(seen, this.seen.length - 1)(response, seen);
  }
}

export function status(code: number, body: string | Uint8Array = '', headers: Record<string, string> = {}): Reply {
  return (response) => response.writeHead(code, headers).end(body);
}

export function fault(code: number, name: string, more = ''): Reply {
  return status(code, `<?xml version="1.0"?><Error><Code>${name}</Code><Message>so it is</Message>${more}</Error>`);
}

/** The connection breaks before an answer. */
export const broken: Reply = (response) => response.destroy();

export const silent: Reply = () => {};

// What stands at both ends of a proxy that is tried alone: a broker that answers every request with nothing but its number,
// and a client that counts the answers.
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { framesOf, headOfRequest, numberOfAnswer } from './frames.ts';
import { type Api, apis, type KafkaProxy } from './proxy.ts';

const headBytes = 12;

export class EchoBroker {
  /** `produce 1`: what was asked for, and the number of the request. */
  readonly seen: string[] = [];
  /** How much each request carried. */
  readonly bytes: number[] = [];
  readonly #server: Server = createServer((socket) => {
    // A client that broke off is counted as one that left.
    this.#serve(socket).catch(() => {});
  });
  readonly #sockets = new Set<Socket>();
  readonly #happened = new EventEmitter();

  static async start(): Promise<EchoBroker> {
    const made = new EchoBroker();
    await once(made.#server.listen(0, '127.0.0.1'), 'listening');
    return made;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resolves with the next request. */
  async asked(): Promise<void> {
    await once(this.#happened, 'asked');
  }

  /** Resolves when the next client has gone. */
  async left(): Promise<void> {
    await once(this.#happened, 'left');
  }

  /** Lets all its clients go. */
  end(): void {
    for (const socket of this.#sockets) socket.end();
  }

  async stop(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  async #serve(socket: Socket): Promise<void> {
    this.#sockets.add(socket);
    socket.once('close', () => this.#happened.emit('left'));
    for await (const frame of framesOf(socket)) {
      const { api, number } = headOfRequest(frame);
      this.seen.push(`${nameOf(api)} ${number}`);
      this.bytes.push(frame.length - headBytes);
      this.#happened.emit('asked');
      const answer = Buffer.alloc(8);
      answer.writeInt32BE(4);
      answer.writeInt32BE(number, 4);
      socket.write(answer);
    }
  }
}

export class EchoClient {
  readonly answered: number[] = [];
  /** Resolves when it was let go or broken off. */
  readonly gone: Promise<void>;
  readonly #socket: Socket;
  readonly #happened = new EventEmitter();

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.gone = this.#listen();
  }

  static async at(port: number): Promise<EchoClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new EchoClient(socket);
  }

  static by(proxy: KafkaProxy): Promise<EchoClient> {
    return EchoClient.at(Number(proxy.address.split(':')[1]));
  }

  ask(api: Api, number: number, bytes = 0): void {
    const request = Buffer.alloc(headBytes + bytes);
    request.writeInt32BE(request.length - 4);
    request.writeInt16BE(apis[api], 4);
    request.writeInt32BE(number, 8);
    this.#socket.write(request);
  }

  /** All there have been, when there are so many. */
  async answers(count: number): Promise<readonly number[]> {
    while (this.answered.length < count) await once(this.#happened, 'answered');
    return this.answered;
  }

  leave(): void {
    this.#socket.end();
  }

  async #listen(): Promise<void> {
    try {
      for await (const frame of framesOf(this.#socket)) {
        this.answered.push(numberOfAnswer(frame));
        this.#happened.emit('answered');
      }
    } catch {
      // Broken off, which is a way to go.
    }
  }
}

function nameOf(number: number): string {
  return Object.entries(apis).find(([, its]) => its === number)?.[0] ?? `${number}`;
}

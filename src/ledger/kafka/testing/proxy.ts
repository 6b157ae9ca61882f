// A proxy between Kafka's clients and a broker that causes network faults on demand: breaks connections, also just before an
// answer, or goes silent; and that can claim that a producer was fenced.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { fenceAnswer, framesOf, headOfRequest, numberOfAnswer } from './frames.ts';

/** Requests of Kafka's protocol, by their number there. */
const apis = { produce: 0, fetch: 1 } as const;

type Api = keyof typeof apis;

export interface ProxyPlace {
  /** The port to listen on; 0: any. */
  readonly listen: number;
  /** The port to forward to. */
  readonly to: number;
}

/** Waits for the next request of a kind. */
interface Trap {
  readonly api: number;
  readonly does: 'cut request' | 'cut answer' | 'fence';
  readonly sprung: () => void;
}

export class KafkaProxy {
  readonly #to: number;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  readonly #traps: Trap[] = [];
  #port: number;
  #flowing: PromiseWithResolvers<void> | null = null;

  private constructor({ listen, to }: ProxyPlace) {
    this.#port = listen;
    this.#to = to;
    this.#server = createServer((client) => this.#connected(client));
  }

  static async start(place: ProxyPlace): Promise<KafkaProxy> {
    const made = new KafkaProxy(place);
    await made.#listen();
    return made;
  }

  /** The address for clients, as `host:port`. */
  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Breaks all connections immediately. */
  cut(): void {
    for (const { client, broker } of this.#connections) {
      client.resetAndDestroy();
      broker.resetAndDestroy();
    }
  }

  /**
   * Breaks all connections at the next request of this kind: before the broker receives it, or when it has answered but the
   * client has not. Resolves when that has happened.
   */
  cutAt(cut: 'request' | 'answer', api: Api): Promise<void> {
    return this.#trap(api, `cut ${cut}`);
  }

  /** The broker executes the next produce request, but the client gets the answer that its producer was fenced. */
  fence(): Promise<void> {
    return this.#trap('produce', 'fence');
  }

  /** Cancels the faults planned for coming requests. */
  calm(): void {
    this.#traps.length = 0;
  }

  /** Nothing passes any more, in either direction, without notice. */
  silence(): void {
    this.#flowing ??= Promise.withResolvers();
  }

  /** Delayed data passes, as after a cable was plugged in again. */
  flow(): void {
    this.#flowing?.resolve();
    this.#flowing = null;
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.flow();
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #trap(api: Api, does: Trap['does']): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#traps.push({ api: apis[api], does, sprung: resolve });
    return promise;
  }

  #connected(client: Socket): void {
    const broker = connect(this.#to, '127.0.0.1');
    const connection: Connection = { client, broker, traps: new Map() };
    this.#connections.add(connection);
    void Promise.allSettled([
      pipeline(client, (asked: Socket) => this.#requests(connection, asked), broker),
      pipeline(broker, (said: Socket) => this.#answers(connection, said), client),
    ]).then(() => this.#connections.delete(connection));
  }

  async *#requests(connection: Connection, asked: Socket): AsyncGenerator<Buffer> {
    for await (const frame of framesOf(asked)) {
      await this.#flowing?.promise;
      const { api, number } = headOfRequest(frame);
      const trap = this.#takeTrap(api);
      if (trap?.does === 'cut request') return this.#spring(trap);
      if (trap !== undefined) connection.traps.set(number, trap);
      yield frame;
    }
  }

  async *#answers(connection: Connection, said: Socket): AsyncGenerator<Buffer> {
    for await (const frame of framesOf(said)) {
      await this.#flowing?.promise;
      const trap = connection.traps.get(numberOfAnswer(frame));
      if (trap?.does === 'fence') {
        fenceAnswer(frame);
        trap.sprung();
      } else if (trap !== undefined) return this.#spring(trap);
      yield frame;
    }
  }

  #takeTrap(api: number): Trap | undefined {
    const index = this.#traps.findIndex((trap) => trap.api === api);
    return index < 0 ? undefined : this.#traps.splice(index, 1)[0];
  }

  #spring(trap: Trap): void {
    this.cut();
    trap.sprung();
  }
}

interface Connection {
  readonly client: Socket;
  readonly broker: Socket;
  /** By the number of their request: the answers that must not arrive. */
  readonly traps: Map<number, Trap>;
}

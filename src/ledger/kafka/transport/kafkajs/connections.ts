// Connections to brokers. Each request has one to itself while it is under way, because a broker answers those of one
// connection in turn: a request that waits for something to come would hold up all behind it.
import { logLevel } from 'kafkajs';
import { TransportClosed } from '../errors.ts';
import { Stumble } from '../stumble.ts';
import type { TransportOptions } from '../transport.ts';
import { stumbleOf } from './faults.ts';
import { Broker, ConnectionPool, createLogger, type Exchange, socketFactory } from './parts.ts';
import { unlessAborted } from './unless-aborted.ts';

/** Longer than a broker's own patience with its replicas. */
const longestAnswerMs = 30_000;
const longestConnectMs = 10_000;

/** One connection, where kafkajs has a second one for fetches. */
class OneConnection extends ConnectionPool {
  override getConnectionByRequest(): ReturnType<ConnectionPool['getConnection']> {
    return this.getConnection(0);
  }
}

export class Connections {
  /** For a request without a time of its own. */
  readonly answerMs: number;
  readonly #options: TransportOptions;
  /** Drops what kafkajs says: what it means is in the errors. */
  readonly logger = createLogger({ level: logLevel.NOTHING, logCreator: () => () => {} });
  readonly #idle = new Map<string, Broker[]>();
  readonly #open = new Set<Broker>();
  readonly #closing = new AbortController();

  constructor(options: TransportOptions) {
    this.#options = options;
    this.answerMs = Math.min(longestAnswerMs, Math.max(1_000, options.patienceMs));
  }

  /** Aborted when these are closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Asks the broker at an address, `host:port`. Throws a Stumble when the answer does not come. */
  async ask<Answer>(address: string, exchange: Exchange<Answer>): Promise<Answer> {
    let sent = false;
    let broker: Broker | undefined;
    try {
      broker = await this.#take(address);
      sent = true;
      const answer = await broker.connectionPool.send(exchange);
      this.#giveBack(address, broker);
      return answer;
    } catch (error) {
      if (broker !== undefined) this.discard(broker);
      throw this.closing.aborted ? new TransportClosed(this.#options.brokers) : stumbleOf(error, sent);
    }
  }

  /** A connection for the caller alone, until it gives it up. */
  async connect(address: string): Promise<Broker> {
    const { tls, login, patienceMs } = this.#options;
    const { logger } = this;
    const [host, port] = hostAndPort(address);
    const connectionTimeout = Math.min(longestConnectMs, Math.max(1_000, patienceMs));
    const connectionPool = new OneConnection({
      host,
      port,
      clientId: 'icecore',
      ssl: tls === null ? null : tls.ca === null ? {} : { ca: tls.ca },
      sasl: login === null ? null : { mechanism: login.mechanism, username: login.user, password: login.password },
      logger,
      socketFactory: socketFactory(),
      connectionTimeout,
      requestTimeout: this.answerMs,
    });
    const broker = new Broker({ connectionPool, logger, authenticationTimeout: connectionTimeout });
    this.#open.add(broker);
    // A connection that breaks while it is said who asks is not heard of again.
    const late = AbortSignal.timeout(3 * connectionTimeout);
    const connecting = broker.connect();
    try {
      await unlessAborted(connecting, AbortSignal.any([late, this.closing]));
      return broker;
    } catch (error) {
      this.discard(broker);
      // It may have only begun.
      connecting.then(() => this.discard(broker)).catch(() => {});
      throw late.aborted ? new Stumble(`${address} does not answer`, { maybeDone: false, cause: error }) : error;
    }
  }

  /** Ends what waits for an answer: kafkajs's own way to disconnect would wait for the answer as well. */
  discard(broker: Broker): void {
    this.#open.delete(broker);
    for (const { socket } of broker.connectionPool.pool) socket?.destroy(new Error('the connection was given up'));
  }

  close(): void {
    this.#closing.abort(new TransportClosed(this.#options.brokers));
    for (const broker of this.#open) this.discard(broker);
    this.#idle.clear();
  }

  async #take(address: string): Promise<Broker> {
    this.closing.throwIfAborted();
    const idle = this.#idle.get(address) ?? [];
    for (let broker = idle.pop(); broker !== undefined; broker = idle.pop()) {
      if (broker.isConnected()) return broker;
      this.discard(broker);
    }
    return await this.connect(address);
  }

  #giveBack(address: string, broker: Broker): void {
    const idle = this.#idle.get(address);
    if (idle === undefined) this.#idle.set(address, [broker]);
    else idle.push(broker);
  }
}

/** An IPv6 address stands in brackets. */
function hostAndPort(address: string): [host: string, port: number] {
  const colon = address.lastIndexOf(':');
  return [address.slice(0, colon).replace(/^\[|\]$/g, ''), Number(address.slice(colon + 1))];
}

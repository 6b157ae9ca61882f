// Connections to brokers. Each request has one to itself while it is under way, because a broker answers those of one
// connection in turn: a request that waits for something to come would hold up all behind it. The library's own pool has
// one connection a broker, and one that once gave up waiting for an answer does not understand those that follow.
import { isIP } from 'node:net';
import { Connection, type ConnectionOptions, ResponseError, type SASLMechanismValue } from '@platformatic/kafka';
import { TransportClosed } from '../errors.ts';
import { Stumble } from '../stumble.ts';
import type { LoginMechanism, TransportOptions } from '../transport.ts';
import { stumbleOf } from './faults.ts';

const longestAnswerMs = 10_000;
const longestConnectMs = 10_000;
const keepAliveMs = 30_000;
/** The library's own limit, which is never to be reached: the longest a timer can be set to. */
const never = 2 ** 31 - 1;

const mechanisms: Readonly<Record<LoginMechanism, SASLMechanismValue>> = {
  plain: 'PLAIN',
  'scram-sha-256': 'SCRAM-SHA-256',
  'scram-sha-512': 'SCRAM-SHA-512',
};

export class Connections {
  /** For a request without a time of its own. */
  readonly answerMs: number;
  readonly #options: TransportOptions;
  readonly #idle = new Map<string, Connection[]>();
  readonly #open = new Set<Connection>();
  readonly #closing = new AbortController();

  constructor(options: TransportOptions) {
    this.#options = options;
    this.answerMs = Math.min(longestAnswerMs, Math.max(1_000, options.patienceMs));
  }

  /** Aborted when these are closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * Asks the broker at an address, `host:port`. Throws what the broker answered as the library has it, a ResponseError,
   * and a Stumble when no answer comes.
   */
  async ask<Answer>(
    address: string,
    send: (connection: Connection) => Promise<Answer>,
    answerMs = this.answerMs,
  ): Promise<Answer> {
    let connection: Connection | undefined;
    try {
      connection = await this.#take(address);
      const answer = await this.#within(answerMs, connection, send(connection));
      this.#giveBack(address, connection);
      return answer;
    } catch (error) {
      if (this.closing.aborted) throw this.closing.reason;
      if (connection !== undefined && error instanceof ResponseError) {
        this.#giveBack(address, connection);
        throw error;
      }
      if (connection !== undefined) this.#discard(connection);
      throw stumbleOf(error, connection !== undefined);
    }
  }

  close(): void {
    this.#closing.abort(new TransportClosed(this.#options.brokers));
    for (const connection of this.#open) this.#discard(connection);
    this.#idle.clear();
  }

  async #take(address: string): Promise<Connection> {
    this.closing.throwIfAborted();
    const idle = this.#idle.get(address) ?? [];
    for (let connection = idle.pop(); connection !== undefined; connection = idle.pop()) {
      if (connection.isConnected()) return connection;
      this.#discard(connection);
    }
    return await this.#connect(address);
  }

  #giveBack(address: string, connection: Connection): void {
    if (this.closing.aborted) return;
    const idle = this.#idle.get(address);
    if (idle === undefined) this.#idle.set(address, [connection]);
    else idle.push(connection);
  }

  async #connect(address: string): Promise<Connection> {
    const [host, port] = hostAndPort(address);
    const connection = new Connection('icecore', this.#settings(host));
    // It tells of a fault more than once, also when nobody waits for it any more.
    connection.on('error', () => {});
    this.#open.add(connection);
    try {
      await connection.connect(host, port);
      connection.socket.setKeepAlive(true, keepAliveMs);
      return connection;
    } catch (error) {
      this.#discard(connection);
      throw error;
    }
  }

  #settings(host: string): ConnectionOptions {
    const { tls, login, patienceMs } = this.#options;
    const connectTimeout = Math.min(longestConnectMs, Math.max(1_000, patienceMs));
    const settings: ConnectionOptions = { connectTimeout, requestTimeout: never };
    if (tls !== null) {
      settings.tls = tls.ca === null ? {} : { ca: tls.ca };
      settings.tlsServerName = isIP(host) === 0;
    }
    if (login !== null) {
      settings.sasl = { mechanism: mechanisms[login.mechanism], username: login.user, password: login.password };
    }
    return settings;
  }

  async #within<Answer>(answerMs: number, connection: Connection, answer: Promise<Answer>): Promise<Answer> {
    let late: Stumble | undefined;
    const giveUp = (): void => {
      late = new Stumble(`no answer within ${answerMs / 1_000} s`, { maybeDone: true });
      this.#discard(connection);
    };
    const timer = setTimeout(giveUp, answerMs);
    try {
      return await answer;
    } catch (error) {
      throw late ?? error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends what waits for an answer: the library's own way to close would first send all that is to be sent. */
  #discard(connection: Connection): void {
    this.#open.delete(connection);
    connection.socket?.destroy();
    void connection.close();
  }
}

/** An IPv6 address stands in brackets. */
function hostAndPort(address: string): [host: string, port: number] {
  const colon = address.lastIndexOf(':');
  return [address.slice(0, colon).replace(/^\[|\]$/g, ''), Number(address.slice(colon + 1))];
}

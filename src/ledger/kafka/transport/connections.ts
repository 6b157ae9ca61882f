// Connections to brokers. Each request has one to itself while it is under way, because a broker answers those of one
// connection in turn: a request that waits for something to come would hold up all behind it. A connection whose answer was
// given up is not used again: the answer may still come, and be taken for that of the next request.

import { Stumble } from '../../remote/stumble.ts';
import { unlessAborted } from '../../remote/unless-aborted.ts';
import type { Client } from './client.ts';
import { TransportClosed } from './errors.ts';
import { BrokerFault } from './faults.ts';
import type { TransportOptions } from './transport.ts';

const longestAnswerMs = 10_000;
/** A connection that is made says hello, and who asks. */
const connectAnswers = 3;

/** A request, made on the connection it is given. */
export type Send<Connection, Answer> = (connection: Connection) => Promise<Answer>;

export class Connections<Connection> {
  /** For a request without a time of its own. */
  readonly answerMs: number;
  readonly #client: Client<Connection>;
  readonly #idle = new Map<string, Connection[]>();
  readonly #open = new Set<Connection>();
  readonly #brokers: readonly string[];
  readonly #closing = new AbortController();

  constructor(client: Client<Connection>, { brokers, patienceMs }: TransportOptions) {
    this.#client = client;
    this.#brokers = brokers;
    this.answerMs = Math.min(longestAnswerMs, Math.max(1_000, patienceMs));
  }

  /** Aborted when these are closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Asks the broker at an address, `host:port`. Throws a BrokerFault, or a Stumble when no answer comes. */
  async ask<Answer>(address: string, send: Send<Connection, Answer>, answerMs = this.answerMs): Promise<Answer> {
    const connection = await this.#take(address);
    try {
      const answer = await within(answerMs, send(connection));
      this.#giveBack(address, connection);
      return answer;
    } catch (error) {
      const meant = this.#client.inWords(error, true);
      if (meant instanceof BrokerFault) this.#giveBack(address, connection);
      else this.#discard(connection);
      throw this.closing.aborted ? this.closing.reason : meant;
    }
  }

  close(): void {
    this.#closing.abort(new TransportClosed(this.#brokers));
    for (const connection of this.#open) this.#discard(connection);
    this.#idle.clear();
  }

  async #take(address: string): Promise<Connection> {
    this.closing.throwIfAborted();
    const idle = this.#idle.get(address) ?? [];
    for (let connection = idle.pop(); connection !== undefined; connection = idle.pop()) {
      if (this.#client.isOpen(connection)) return connection;
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
    const connection = this.#client.connection(host, port);
    this.#open.add(connection);
    const connecting = this.#client.connect(connection, host, port);
    try {
      await unlessAborted(within(connectAnswers * this.answerMs, connecting), this.closing);
      return connection;
    } catch (error) {
      this.#discard(connection);
      // It may have only begun.
      connecting.then(() => this.#discard(connection)).catch(() => {});
      if (this.closing.aborted) throw this.closing.reason;
      throw this.#client.inWords(error, false);
    }
  }

  #discard(connection: Connection): void {
    this.#open.delete(connection);
    this.#client.discard(connection);
  }
}

async function within<Answer>(ms: number, answer: Promise<Answer>): Promise<Answer> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Stumble(`no answer within ${ms / 1_000} s`, { maybeDone: true })), ms);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** An IPv6 address stands in brackets. */
function hostAndPort(address: string): [host: string, port: number] {
  const colon = address.lastIndexOf(':');
  return [address.slice(0, colon).replace(/^\[|\]$/g, ''), Number(address.slice(colon + 1))];
}

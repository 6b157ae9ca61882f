// kafkajs as a client: its connections and its protocol, without its producer and consumer.
import { logLevel } from 'kafkajs';
import type { Client } from '../client.ts';
import type { BrokerFault } from '../faults.ts';
import type { TransportOptions } from '../transport.ts';
import { brokerFault, inWords } from './faults.ts';
import { guarded } from './frames.ts';
import { Broker, ConnectionPool, crc32c, createLogger, socketFactory } from './parts.ts';
import { requests } from './requests.ts';

const longestConnectMs = 10_000;

/** One connection, where kafkajs has a second one for fetches. */
class OneConnection extends ConnectionPool {
  override getConnectionByRequest(): ReturnType<ConnectionPool['getConnection']> {
    return this.getConnection(0);
  }
}

export class KafkajsClient implements Client<Broker> {
  readonly name = 'kafkajs';
  readonly checksum = crc32c;
  readonly requests = requests;
  readonly #options: TransportOptions;
  /** Drops what kafkajs says: what it means is in the errors. */
  readonly #logger = createLogger({ level: logLevel.NOTHING, logCreator: () => () => {} });

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  connection(host: string, port: number): Broker {
    const { tls, login, patienceMs } = this.#options;
    const connectionTimeout = Math.min(longestConnectMs, Math.max(1_000, patienceMs));
    const connectionPool = new OneConnection({
      host,
      port,
      clientId: 'icecore',
      ssl: tls === null ? null : tls.ca === null ? {} : { ca: tls.ca },
      sasl: login === null ? null : { mechanism: login.mechanism, username: login.user, password: login.password },
      logger: this.#logger,
      socketFactory: guarded(socketFactory()),
      connectionTimeout,
      requestTimeout: connectionTimeout,
      // Who asks gives up by itself.
      enforceRequestTimeout: false,
    });
    return new Broker({ connectionPool, logger: this.#logger, authenticationTimeout: connectionTimeout });
  }

  connect(broker: Broker): Promise<void> {
    return broker.connect();
  }

  isOpen(broker: Broker): boolean {
    return broker.isConnected();
  }

  /** kafkajs's own way to disconnect would wait for the answer. */
  discard(broker: Broker): void {
    for (const { socket } of broker.connectionPool.pool) socket?.destroy(new Error('the connection was given up'));
  }

  inWords(error: unknown, sent: boolean): unknown {
    return inWords(error, sent);
  }

  fault(code: number): BrokerFault {
    return brokerFault(code);
  }
}

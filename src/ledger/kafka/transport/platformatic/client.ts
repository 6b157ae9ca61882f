// @platformatic/kafka as a client: its connections and its protocol, without its producer and consumer. Its own pool has one
// connection a broker, and one that once gave up waiting for an answer does not understand those that follow.
import { isIP } from 'node:net';
import { Connection, type ConnectionOptions, crc32c, type SASLMechanismValue } from '@platformatic/kafka';
import type { Client } from '../client.ts';
import type { BrokerFault } from '../faults.ts';
import type { LoginMechanism, TransportOptions } from '../transport.ts';
import { faultOf, inWords } from './faults.ts';
import { requests } from './requests.ts';

const longestConnectMs = 10_000;
const keepAliveMs = 30_000;
/** The library's own limit, which is never to be reached: the longest a timer can be set to. */
const never = 2 ** 31 - 1;

const mechanisms: Readonly<Record<LoginMechanism, SASLMechanismValue>> = {
  plain: 'PLAIN',
  'scram-sha-256': 'SCRAM-SHA-256',
  'scram-sha-512': 'SCRAM-SHA-512',
};

export class PlatformaticClient implements Client<Connection> {
  readonly name = 'platformatic';
  readonly checksum = crc32c;
  readonly requests = requests;
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  connection(host: string): Connection {
    const connection = new Connection('icecore', this.#settings(host));
    // It tells of a fault more than once, also when nobody waits for it any more.
    connection.on('error', () => {});
    return connection;
  }

  async connect(connection: Connection, host: string, port: number): Promise<void> {
    await connection.connect(host, port);
    connection.socket.setKeepAlive(true, keepAliveMs);
  }

  isOpen(connection: Connection): boolean {
    return connection.isConnected();
  }

  /** The library's own way to close would first send all that is to be sent. */
  discard(connection: Connection): void {
    connection.socket?.destroy();
    void connection.close();
  }

  inWords(error: unknown, sent: boolean): unknown {
    return inWords(error, sent);
  }

  fault(code: number): BrokerFault {
    return faultOf(code);
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
}

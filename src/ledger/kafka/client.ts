// kafkajs through its public API: common options for every connection, codecs, the admin client, and producer sessions.
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { constants, gunzip, gzip, zstdCompress, zstdDecompress } from 'node:zlib';
import kafkajs, { type Admin, type ISocketFactory, type Message, type Producer, type SASLOptions } from 'kafkajs';
import { readCertificates } from '../../base/folders.ts';
import { TransientError } from '../remote/errors.ts';
import { meaningOf } from './errors.ts';
import { type KafkaPlace, kafkaLogin, type LoginMechanism } from './place.ts';
import { Reader } from './reader.ts';
import { type TopicFound, type Topics, topicsOf } from './topics.ts';

// Node detects only some exports of a CommonJS module.
const { CompressionCodecs, CompressionTypes, ConfigResourceTypes, Kafka, logLevel, Partitioners } = kafkajs;

const longestAnswerMs = 10_000;
/** To a new connection and the first request on it, which every broker answers at once. */
const longestGreetingMs = 3_000;
/** How often kafkajs retries a request, with pauses of at least a fifth of a second. */
const longestPauseMs = 2_000;
const retry = { retries: 3, initialRetryTime: 200, maxRetryTime: longestPauseMs };
/** The number of idle producers to keep, since connecting takes some milliseconds. */
const idleProducers = 8;
/** The maximum number of records in one send, and so in one batch. */
export const recordsOfSend = 1_000;

/** Larger pieces than zlib's own 16 KiB halve the time to decompress a batch. */
const chunkSize = 256 * 1024;
/** Without a limit, a few hundred bytes could decompress to all available memory. */
const maxOutputLength = 128 * 1024 * 1024;
/** For events, the default level compresses no better, and takes twice the time. */
const params = { [constants.ZSTD_c_compressionLevel]: 1 };

const compressionTypes = { none: CompressionTypes.None, gzip: CompressionTypes.GZIP, zstd: CompressionTypes.ZSTD };

CompressionCodecs[CompressionTypes.GZIP] = () => ({
  compress: ({ buffer }: { readonly buffer: Buffer }) => promisify<Buffer, Buffer>(gzip)(buffer),
  decompress: (bytes: Buffer) => promisify(gunzip)(bytes, { chunkSize, maxOutputLength }),
});
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: ({ buffer }: { readonly buffer: Buffer }) => promisify(zstdCompress)(buffer, { chunkSize, params }),
  decompress: (bytes: Buffer) => promisify(zstdDecompress)(bytes, { chunkSize, maxOutputLength }),
});

// kafkajs passes a negative delay to `setTimeout` with each request. Node warns once per process on standard error, so the
// warning is triggered here, where it is suppressed.
const { emitWarning } = process;
process.emitWarning = () => {};
clearTimeout(setTimeout(() => {}, -1));
process.emitWarning = emitWarning;

const partitioner = Partitioners.DefaultPartitioner();

/** The partition that standard producers choose for a key. */
export function hashedPartition(key: string, partitions: number): number {
  const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => {
    return { partitionErrorCode: 0, partitionId, leader: 0, replicas: [], isr: [] };
  });
  return partitioner({ topic: '', partitionMetadata, message: { key, value: null } });
}

export class KafkaClient {
  readonly place: KafkaPlace;
  readonly topics: Topics;
  readonly reader: Reader;
  readonly #kafka: kafkajs.Kafka;
  #admin: Admin;
  /** The time limit of a send: kafkajs's own retries are stored once, but a new send of the same records is not. */
  readonly #sendMs: number;
  readonly #sockets = new Set<Socket>();
  readonly #idle: Producer[] = [];
  #isConnected = false;
  #isClosed = false;

  constructor(place: KafkaPlace) {
    this.place = place;
    this.topics = topicsOf(place.prefix);
    const answerMs = Math.min(longestAnswerMs, Math.max(1_000, (place.patience * 1_000) / 3));
    this.#sendMs = place.patience * 1_000 + answerMs;
    const ca = place.ca === null ? {} : { ca: readCertificates(place.ca).toString('utf8') };
    this.#kafka = new Kafka({
      clientId: 'icecore',
      // Without brokers, kafkajs gives up, instead of connecting again for a call that is pending when the ledger is closed.
      brokers: () => (this.#isClosed ? [] : place.brokers.map(withoutColons)),
      ...(place.tls ? { ssl: ca } : {}),
      ...(place.login === null ? {} : { sasl: saslOf(place.login) }),
      connectionTimeout: Math.min(longestGreetingMs, answerMs),
      authenticationTimeout: answerMs,
      requestTimeout: answerMs,
      socketFactory: this.#socketFactory,
      retry,
      logLevel: logLevel.NOTHING,
      logCreator: () => () => {},
    });
    this.#admin = this.#kafka.admin();
    this.reader = new Reader(this.#kafka, 4 * answerMs);
  }

  /** `topic` is for messages. */
  async ask<Answer>(topic: string, question: (admin: Admin) => Promise<Answer>): Promise<Answer> {
    const admin = this.#admin;
    try {
      if (!this.#isConnected) await admin.connect();
      this.#isConnected = true;
      return await question(admin);
    } catch (error) {
      const meaning = meaningOf(error, topic);
      if (meaning instanceof TransientError && admin === this.#admin) this.#renewAdmin();
      throw meaning;
    }
  }

  /** A connection whose first request was not answered is never usable. */
  #renewAdmin(): void {
    disconnect(this.#admin);
    this.#admin = this.#kafka.admin();
    this.#isConnected = false;
  }

  async existing(names: readonly string[]): Promise<readonly string[]> {
    const all = new Set(await this.ask('', (admin) => admin.listTopics()));
    return names.filter((name) => all.has(name));
  }

  /** Null for a missing topic. */
  async describe(names: readonly string[]): Promise<readonly (TopicFound | null)[]> {
    const topics = [...(await this.existing(names))];
    if (topics.length === 0) return names.map(() => null);
    const about = topics.join(', ');
    const { topics: found } = await this.ask(about, (admin) => admin.fetchTopicMetadata({ topics }));
    const resources = topics.map((name) => ({ type: ConfigResourceTypes.TOPIC, name }));
    const described = await this.ask(about, (admin) => admin.describeConfigs({ resources, includeSynonyms: false }));
    return names.map((name) => {
      const topic = found.find((one) => one.name === name);
      if (topic === undefined) return null;
      const { configEntries = [] } = described.resources.find(({ resourceName }) => resourceName === name) ?? {};
      return {
        name,
        replicas: Math.min(...topic.partitions.map(({ replicas }) => replicas.length)),
        settings: new Map(configEntries.map(({ configName, configValue }) => [configName, configValue])),
      };
    });
  }

  async countPartitions(topic: string): Promise<number> {
    const { topics } = await this.ask(topic, (admin) => admin.fetchTopicMetadata({ topics: [topic] }));
    return topics[0]?.partitions.length ?? 0;
  }

  /** A producer session: connected, with its own producer id, and without a failed send. */
  async takeProducer(topic: string): Promise<Producer> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const producer = this.#kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: Partitioners.DefaultPartitioner,
      retry: { ...retry, retries: retry.retries + Math.ceil(this.#sendMs / longestPauseMs) },
    });
    await producer.connect().catch((error) => {
      disconnect(producer);
      throw meaningOf(error, topic);
    });
    return producer;
  }

  /**
   * Sends one batch, so all messages or none; returns the offset of the first, which must be after this one. kafkajs treats a
   * failed send as not stored, although it may be: it could then take its next send for a repetition, which would be lost. So a
   * failure ends the session.
   */
  async send(producer: Producer, topic: string, messages: Message[], after = -1): Promise<number> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new TransientError('the brokers do not answer')), this.#sendMs);
    let isWhole = false;
    const compression = compressionTypes[this.place.compression];
    const sending = producer.send({ topic, messages, acks: -1, compression });
    try {
      const [answer] = await Promise.race([sending, late]);
      const from = Number(answer?.baseOffset ?? Number.NaN);
      if (!(from > after)) throw new Error(`the broker treated the records as duplicates and stored none (${from})`);
      isWhole = true;
      return from;
    } catch (error) {
      throw meaningOf(error, topic);
    } finally {
      clearTimeout(timer);
      if (isWhole && this.#idle.length < idleProducers) this.#idle.push(producer);
      // kafkajs would connect again for a send that it still retries.
      else sending.catch(() => {}).then(() => disconnect(producer));
    }
  }

  /** For messages that may be stored twice. */
  async publish(topic: string, messages: Message[]): Promise<void> {
    for (let next = 0; next < messages.length; next += recordsOfSend) {
      await this.send(await this.takeProducer(topic), topic, messages.slice(next, next + recordsOfSend));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const closing = [this.#admin, ...this.#idle.splice(0)].map(disconnect);
    closing.push(this.reader.close());
    // Do not wait for brokers that do not answer.
    for (const socket of this.#sockets) socket.destroy(new Error(closed));
    await Promise.all(closing);
  }

  readonly #socketFactory: ISocketFactory = ({ host: name, port, ssl, onConnect }) => {
    if (this.#isClosed) throw new Error(closed);
    const host = withColons(name);
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const socket = ssl
      ? connectTls({ host, port, ...servername, ...ssl }, onConnect)
      : connectPlain({ host, port }, onConnect);
    socket.setKeepAlive(true, 60_000);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  };
}

const closed = 'the ledger was closed';

function disconnect(client: Admin | Producer): Promise<void> {
  return client.disconnect().catch(() => {});
}

function saslOf(mechanism: LoginMechanism): SASLOptions {
  const { user: username, password } = kafkaLogin(process.env);
  return { mechanism, username, password };
}

// kafkajs splits an address at its first colon, so IPv6 addresses need names.
const ofAddress = '.ipv6.invalid';

function withoutColons(broker: string): string {
  return broker.replace(/^\[(.*)\]/, (_, address: string) => `${address.replaceAll(':', '-')}${ofAddress}`);
}

function withColons(name: string): string {
  return name.endsWith(ofAddress) ? name.slice(0, -ofAddress.length).replaceAll('-', ':') : name;
}

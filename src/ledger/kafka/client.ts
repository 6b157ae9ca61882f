// kafkajs through its public API: common options for every connection, codecs, the admin client, and producer sessions.
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { constants, gunzip, gzip, zstdCompress, zstdDecompress } from 'node:zlib';
import kafkajs, {
  type Admin,
  type Cluster,
  type CompressionTypes,
  type Consumer,
  type ConsumerConfig,
  type ISocketFactory,
  type Message,
  type Producer,
  type SASLOptions,
} from 'kafkajs';
import { readCertificates } from '../../base/folders.ts';
import type { Environment } from '../driver.ts';
import { TransientError } from '../remote/errors.ts';
import { meaningOf } from './errors.ts';
import { type Compression, type KafkaPlace, kafkaLogin } from './place.ts';

// Node detects only some exports of a CommonJS module.
const {
  CompressionCodecs,
  CompressionTypes: codecNumbers,
  ConfigResourceTypes,
  Kafka,
  logLevel,
  Partitioners,
} = kafkajs;

const longestAnswerMs = 10_000;
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

const compressionTypes: Readonly<Record<Compression, CompressionTypes>> = {
  none: codecNumbers.None,
  gzip: codecNumbers.GZIP,
  zstd: codecNumbers.ZSTD,
};

interface Codec {
  compress(records: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

const codecs: Readonly<Record<'gzip' | 'zstd', Codec>> = {
  gzip: {
    compress: ({ buffer }) => promisify<Buffer, Buffer>(gzip)(buffer),
    decompress: (bytes) => promisify(gunzip)(bytes, { chunkSize, maxOutputLength }),
  },
  zstd: {
    // For events, the default level compresses no better, and takes twice the time.
    compress: ({ buffer }) =>
      promisify(zstdCompress)(buffer, { chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
    decompress: (bytes) => promisify(zstdDecompress)(bytes, { chunkSize, maxOutputLength }),
  },
};

export interface TopicFound {
  readonly name: string;
  readonly partitions: number;
  /** The replicas of the partition that has the fewest. */
  readonly replicas: number;
  readonly settings: ReadonlyMap<string, string>;
}

export interface NewTopic {
  readonly name: string;
  readonly partitions: number;
  readonly replicas: number;
  readonly settings: Readonly<Record<string, string>>;
}

/** The first offset of a partition, and the one after the last. */
export interface Watermarks {
  readonly low: number;
  readonly high: number;
}

const partitioner = Partitioners.DefaultPartitioner();

/** The partition that standard producers choose for a key. */
export function hashedPartition(key: string, partitions: number): number {
  const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => {
    return { partitionErrorCode: 0, partitionId, leader: 0, replicas: [], isr: [] };
  });
  return partitioner({ topic: '', partitionMetadata, message: { key, value: null } });
}

export class KafkaClient {
  readonly #kafka: kafkajs.Kafka;
  readonly #admin: Admin;
  readonly #compression: CompressionTypes;
  /** The time limit of an answer. */
  readonly answerMs: number;
  /** The time limit of a send: kafkajs's own retries are stored once, but a new send of the same records is not. */
  readonly #sendMs: number;
  readonly #sockets = new Set<Socket>();
  readonly #idle: Producer[] = [];
  #isConnected = false;
  #cluster: { readonly of: Cluster; disconnect(): Promise<void> } | null = null;

  constructor(place: KafkaPlace, env: Environment = process.env) {
    muteNegativeTimeouts();
    CompressionCodecs[codecNumbers.GZIP] = () => codecs.gzip;
    CompressionCodecs[codecNumbers.ZSTD] = () => codecs.zstd;
    this.#compression = compressionTypes[place.compression];
    const { brokers, addresses } = namesOf(place.brokers);
    const answerMs = Math.min(longestAnswerMs, Math.max(1_000, (place.patience * 1_000) / 3));
    this.answerMs = answerMs;
    this.#sendMs = place.patience * 1_000 + answerMs;
    const ca = place.ca === null ? {} : { ca: readCertificates(place.ca).toString('utf8') };
    this.#kafka = new Kafka({
      clientId: 'icecore',
      brokers: [...brokers],
      ...(place.tls ? { ssl: ca } : {}),
      ...(place.login === null ? {} : { sasl: saslOf(place.login, env) }),
      connectionTimeout: answerMs,
      authenticationTimeout: answerMs,
      requestTimeout: answerMs,
      socketFactory: this.#socketFactory(addresses),
      retry,
      logLevel: logLevel.NOTHING,
      logCreator: () => () => {},
    });
    this.#admin = this.#kafka.admin();
  }

  /** Null for a missing topic. Settings are fetched only on request, because not every user may read them. */
  async describe(names: readonly string[], settings = true): Promise<readonly (TopicFound | null)[]> {
    const existing = new Set(await this.#ask('', (admin) => admin.listTopics()));
    const topics = names.filter((name) => existing.has(name));
    if (topics.length === 0) return names.map(() => null);
    const { topics: found } = await this.#ask(topics.join(', '), (admin) => admin.fetchTopicMetadata({ topics }));
    const resources = topics.map((name) => ({ type: ConfigResourceTypes.TOPIC, name }));
    const described = settings
      ? (await this.#ask(topics.join(', '), (admin) => admin.describeConfigs({ resources, includeSynonyms: false })))
          .resources
      : [];
    return names.map((name) => {
      const topic = found.find((one) => one.name === name);
      if (topic === undefined) return null;
      const entries = described.find(({ resourceName }) => resourceName === name)?.configEntries ?? [];
      return {
        name,
        partitions: topic.partitions.length,
        replicas: Math.min(...topic.partitions.map(({ replicas }) => replicas.length)),
        settings: new Map(entries.map(({ configName, configValue }) => [configName, configValue])),
      };
    });
  }

  async countBrokers(): Promise<number> {
    return (await this.#ask('', (admin) => admin.describeCluster())).brokers.length;
  }

  /** Leaves existing topics unchanged. */
  async create(newTopics: readonly NewTopic[]): Promise<void> {
    const topics = newTopics.map(({ name, partitions, replicas, settings }) => ({
      topic: name,
      numPartitions: partitions,
      replicationFactor: replicas,
      configEntries: Object.entries(settings).map(([setting, value]) => ({ name: setting, value })),
    }));
    const names = newTopics.map(({ name }) => name).join(', ');
    await this.#ask(names, (admin) => admin.createTopics({ topics, waitForLeaders: true }));
  }

  /** By partition. The admin client of kafkajs omits records after an open transaction, so it is not used here. */
  async watermarks(topic: string): Promise<readonly Watermarks[]> {
    const cluster = await this.#connectedCluster(topic);
    try {
      await cluster.addTargetTopic(topic);
      await cluster.refreshMetadataIfNecessary();
      const partitions = cluster
        .findTopicPartitionMetadata(topic)
        .map(({ partitionId }) => ({ partition: partitionId }));
      const [lows, highs] = await Promise.all([
        cluster.fetchTopicsOffset([{ topic, partitions, fromBeginning: true }]),
        cluster.fetchTopicsOffset([{ topic, partitions, fromBeginning: false }]),
      ]);
      const low = new Map(lows[0]?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
      const marks: Watermarks[] = [];
      for (const { partition, offset } of highs[0]?.partitions ?? []) {
        marks[partition] = { low: low.get(partition) ?? 0, high: Number(offset) };
      }
      return marks;
    } catch (error) {
      // Another broker may be the leader by now.
      await cluster.refreshMetadata().catch(() => {});
      throw meaningOf(error, topic);
    }
  }

  consumer(config: ConsumerConfig): Consumer {
    return this.#kafka.consumer({ ...config, retry: { ...retry, restartOnFailure: async () => false } });
  }

  /** Leaves groups with members, and missing groups, as they are. */
  async deleteGroup(group: string): Promise<void> {
    await this.#ask('', (admin) => admin.deleteGroups([group])).catch(() => {});
  }

  /**
   * A producer session: connected, with its own producer id, and without a failed send. Return it after a successful send; drop
   * it after a failed one.
   */
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
      throw meaningOf(error, topic);
    });
    return producer;
  }

  giveBack(producer: Producer): void {
    if (this.#idle.length < idleProducers) this.#idle.push(producer);
    else this.drop(producer);
  }

  drop(producer: Producer): void {
    producer.disconnect().catch(() => {});
  }

  /** The offset of the first message; the others follow it. If it throws, it is unknown whether they are stored. */
  async send(producer: Producer, topic: string, messages: Message[]): Promise<number> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new TransientError('the brokers do not answer')), this.#sendMs);
    try {
      const sent = producer.send({ topic, messages, acks: -1, compression: this.#compression });
      const [answer] = await Promise.race([sent, late]);
      return Number(answer?.baseOffset ?? Number.NaN);
    } finally {
      clearTimeout(timer);
    }
  }

  /** For messages that may be stored twice. */
  async publish(topic: string, messages: Message[]): Promise<void> {
    const producer = await this.takeProducer(topic);
    try {
      for (let next = 0; next < messages.length; next += recordsOfSend) {
        await this.send(producer, topic, messages.slice(next, next + recordsOfSend));
      }
    } catch (error) {
      this.drop(producer);
      throw meaningOf(error, topic);
    }
    this.giveBack(producer);
  }

  async close(): Promise<void> {
    const open = [this.#admin, ...this.#idle.splice(0), ...(this.#cluster === null ? [] : [this.#cluster])];
    const closing = open.map((each) => each.disconnect().catch(() => {}));
    // Do not wait for brokers that do not answer.
    for (const socket of this.#sockets) socket.destroy(new Error('the ledger was closed'));
    await Promise.all(closing);
  }

  async #ask<Answer>(topic: string, question: (admin: Admin) => Promise<Answer>): Promise<Answer> {
    try {
      if (!this.#isConnected) await this.#admin.connect();
      this.#isConnected = true;
      return await question(this.#admin);
    } catch (error) {
      throw meaningOf(error, topic);
    }
  }

  /** kafkajs gives access to its cluster only through a partition assigner; this consumer joins no group. */
  async #connectedCluster(topic: string): Promise<Cluster> {
    if (this.#cluster !== null) return this.#cluster.of;
    let cluster: Cluster | undefined;
    const bystander = this.#kafka.consumer({
      groupId: 'icecore',
      readUncommitted: true,
      allowAutoTopicCreation: false,
      // Includes partitions that were just added.
      metadataMaxAge: 0,
      partitionAssigners: [
        (config) => {
          cluster = config.cluster;
          return kafkajs.PartitionAssigners.roundRobin(config);
        },
      ],
    });
    await bystander.connect().catch((error) => {
      throw meaningOf(error, topic);
    });
    this.#cluster = { of: cluster as Cluster, disconnect: () => bystander.disconnect() };
    return this.#cluster.of;
  }

  #socketFactory(addresses: ReadonlyMap<string, string>): ISocketFactory {
    return ({ host: name, port, ssl, onConnect }) => {
      const host = addresses.get(name) ?? name;
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
}

function saslOf(mechanism: SASLOptions['mechanism'] & NonNullable<KafkaPlace['login']>, env: Environment): SASLOptions {
  const { user: username, password } = kafkaLogin(env);
  return { mechanism, username, password };
}

/** kafkajs splits an address at its first colon, so IPv6 addresses need names. */
function namesOf(brokers: readonly string[]): {
  readonly brokers: readonly string[];
  readonly addresses: ReadonlyMap<string, string>;
} {
  const addresses = new Map<string, string>();
  const names = brokers.map((broker, index) => {
    const [, address, port] = /^\[(.*)\]:([0-9]+)$/.exec(broker) ?? [];
    if (address === undefined) return broker;
    const name = `ipv6-${index}.invalid`;
    addresses.set(name, address);
    return `${name}:${port}`;
  });
  return { brokers: names, addresses };
}

let areMuted = false;

/**
 * kafkajs passes a negative delay to `setTimeout` with each request. Node warns once per process on standard error, so the
 * warning is triggered here, where it is suppressed.
 */
function muteNegativeTimeouts(): void {
  if (areMuted) return;
  areMuted = true;
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    clearTimeout(setTimeout(() => {}, -1));
  } finally {
    process.emitWarning = emitWarning;
  }
}

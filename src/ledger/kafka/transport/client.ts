// What is asked of a client library: connections to brokers, and single requests over them. Which broker to ask, when to ask
// again and what the answers mean is the same for each.
import type { Checksum, Origin } from './batch/encode.ts';
import type { BrokerFault } from './faults.ts';
import type { FetchOptions, TopicPartition, TopicWanted, Transport } from './transport.ts';

export interface Client<Connection> {
  readonly name: Transport['client'];
  readonly checksum: Checksum;
  readonly requests: Requests<Connection>;

  /** One that is not connected yet. */
  connection(host: string, port: number): Connection;

  /** And says who asks. May never end where the connection breaks meanwhile. */
  connect(connection: Connection, host: string, port: number): Promise<void>;

  isOpen(connection: Connection): boolean;

  /** Ends what waits for an answer at once. */
  discard(connection: Connection): void;

  /**
   * What the library throws, in words of ours: a BrokerFault for what a broker answered, a Stumble where no answer came.
   * `sent` says whether the request may have left.
   */
  inWords(error: unknown, sent: boolean): unknown;

  /** What a code in an answer says. */
  fault(code: number): BrokerFault;
}

/** Each resolves with the answer of the broker at the other end, or throws what `inWords` makes a BrokerFault of. */
export interface Requests<Connection> {
  metadata(connection: Connection, topics: readonly string[]): Promise<Metadata>;
  /** By topic and name, without those that are kept secret. */
  settings(
    connection: Connection,
    topics: readonly string[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>>;
  create(connection: Connection, topics: readonly TopicWanted[], answerMs: number): Promise<unknown>;
  remove(connection: Connection, topics: readonly string[], answerMs: number): Promise<unknown>;

  /** Where partitions begin or, as far as transactions are decided, end: by their numbers. */
  offsets(
    connection: Connection,
    topic: string,
    partitions: readonly number[],
    edge: 'start' | 'end',
  ): Promise<ReadonlyMap<number, number>>;
  fetch(connection: Connection, wanted: Wanted, options: FetchOptions): Promise<FetchAnswer>;

  origin(connection: Connection, answerMs: number): Promise<Origin>;
  /** Resolves with the offset of the batch's first record when all in-sync replicas have it. */
  append(connection: Connection, where: TopicPartition, batch: Buffer, replicasMs: number): Promise<number>;

  /** The address of the broker that keeps the group. */
  coordinator(connection: Connection, group: string): Promise<string>;
  join(connection: Connection, member: Joining): Promise<Joined>;
  /** Resolves with the member's own share. */
  sync(connection: Connection, group: string, place: Place, shares: ReadonlyMap<string, Buffer>): Promise<Buffer>;
  heartbeat(connection: Connection, group: string, place: Place): Promise<unknown>;
  leave(connection: Connection, group: string, member: string): Promise<unknown>;
}

export interface Metadata {
  /** Addresses by the numbers of the brokers. */
  readonly brokers: ReadonlyMap<number, string>;
  /** The number of the broker that makes and removes topics. */
  readonly controller: number;
  readonly topics: readonly TopicMetadata[];
}

export interface TopicMetadata {
  readonly name: string;
  readonly code: number;
  readonly partitions: readonly PartitionMetadata[];
}

export interface PartitionMetadata {
  readonly partition: number;
  /** -1: none at present. */
  readonly leader: number;
  readonly replicas: number;
}

/** What a fetch is about. */
export interface Wanted extends TopicPartition {
  readonly from: number;
}

export interface FetchAnswer {
  /** Before the first transaction that is not decided yet. */
  readonly end: number;
  /** The end of what all replicas have. */
  readonly written: number;
  /** Those that reach into the batches. */
  readonly aborted: readonly AbortedTransaction[];
  readonly bytes: Buffer;
}

export interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: number;
}

/** As the coordinator of a group knows a member between two times of sharing. */
export interface Place {
  /** Empty for one that the coordinator does not know. */
  readonly member: string;
  readonly generation: number;
}

/** Who asks to be let into a group. */
export interface Joining {
  readonly group: string;
  readonly member: string;
  readonly sessionMs: number;
  readonly rebalanceMs: number;
  readonly wishes: Buffer;
}

export interface Joined {
  /** Null: the member has a name from now on, and has to ask once more with it. */
  readonly generation: number | null;
  readonly member: string;
  /** Of the member that deals the partitions out. */
  readonly leader: string;
  /** Their wishes by their names, for the leader alone. */
  readonly members: ReadonlyMap<string, Buffer>;
}

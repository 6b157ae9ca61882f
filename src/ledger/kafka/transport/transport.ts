// What the Kafka store asks of a client library: partitions as logs, read from any offset and appended to, without consumer
// groups. One contract suite (contract/) runs against every transport.
import type { OnAway } from '../../remote/patience.ts';

/** In milliseconds: how far the time of a record may be from the broker's where all times are taken. */
export const anyTime = String(2n ** 63n - 1n);

/** A record as it is sent. Keys, values and headers are UTF-8. */
export interface OutgoingRecord {
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
  /** In whole milliseconds since 1970. */
  readonly timestamp: number;
}

/** A record as it was found, whoever wrote it. */
export interface FoundRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Headers;
}

/** In the order in which they were sent, with their names. */
export interface Headers extends Iterable<readonly [string, Buffer]> {
  /** The one of this name, which is ASCII as what it holds is; of several the last. Undefined where there is none. */
  ascii(name: string): string | undefined;
}

/** A batch that somebody else compressed in a way that nothing here knows: what is in it cannot be told. */
export interface UnreadableBatch {
  readonly first: number;
  readonly count: number;
  /** In words. */
  readonly why: string;
}

export interface Fetched {
  /** In the order of their offsets, from the one asked for on; of transactions only what was committed. */
  readonly records: readonly FoundRecord[];
  /** In the same order, and at none of these offsets. */
  readonly unreadable: readonly UnreadableBatch[];
  /**
   * Where to go on: behind all that this answer covers, also what is no record of anybody's: marks of transactions, what
   * was aborted, offsets that compaction left empty. Equal to the offset asked for where there is nothing yet.
   */
  readonly next: number;
  /** The partition's end as far as transactions are decided: a reader that has come there has caught up. */
  readonly end: number;
  /** The end of all that is stored, also of what is not decided yet. */
  readonly written: number;
}

export interface FetchOptions {
  /** About so much in one answer; a single larger batch comes whole all the same. */
  readonly maxBytes: number;
  /** How long the broker may wait for something to come where there is nothing yet. */
  readonly maxWaitMs: number;
  readonly signal?: AbortSignal;
}

export interface PartitionEnds {
  readonly partition: number;
  /** The first offset that is still there: above 0, history was removed. */
  readonly start: number;
  /** As in `Fetched`. */
  readonly end: number;
}

export interface TopicWanted {
  readonly name: string;
  readonly partitions: number;
  /** -1: as many as the broker's own setting says. */
  readonly replicas: number;
  readonly settings: Readonly<Record<string, string>>;
  /** Settings that brokers of some versions do not know: there, the topic is made without them. */
  readonly wished?: Readonly<Record<string, string>>;
}

export interface TopicFound {
  readonly name: string;
  readonly partitions: number;
  /** The least of any of its partitions. */
  readonly replicas: number;
  /** What holds for the topic, whether set for it or inherited from the broker. */
  readonly settings: ReadonlyMap<string, string>;
}

/** A member of a consumer group: which partitions are its own may change at any time. */
export interface Membership {
  /** The partitions of this member from now on, each time they change. Ends when the member leaves. */
  assignments(): AsyncIterable<readonly TopicPartition[]>;
  leave(): Promise<void>;
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/**
 * Calls wait out what passes by itself (a leader that changes, a coordinator that loads, a broker that comes back within
 * the patience) and then throw one of the errors of errors.ts.
 */
export interface Transport {
  readonly client: string;

  /** Null for a topic that is not there. */
  describe(topics: readonly string[]): Promise<readonly (TopicFound | null)[]>;

  /** Makes topics; one that is there already is left as it is. Returns once they can be written to. */
  create(topics: readonly TopicWanted[]): Promise<void>;

  remove(topics: readonly string[]): Promise<void>;

  /** Of all partitions of a topic. */
  ends(topic: string): Promise<readonly PartitionEnds[]>;

  /** Refused with the signal's own reason when that comes first. */
  fetch(topic: string, partition: number, from: number, options: FetchOptions): Promise<Fetched>;

  /**
   * Appends records as one batch, and so all or none of them; resolves with the offset of the first when all in-sync
   * replicas have them. Batches of one partition are stored in the order of the calls. Where the answer is lost the client
   * asks again, and the broker stores nothing twice; if it cannot find out, that is OutcomeUnknown. Where a batch fails,
   * those of the partition that were called behind it and are not stored yet fail as well, and none of them is stored: the
   * next call begins anew. At least one record.
   */
  produce(topic: string, partition: number, records: readonly OutgoingRecord[]): Promise<number>;

  /** Joins a consumer group, whose members share the partitions of these topics between them. */
  join(group: string, topics: readonly string[]): Promise<Membership>;

  /** Releases everything; what waits and what comes is refused with TransportClosed, memberships end. */
  close(): Promise<void>;
}

export interface TransportOptions {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  readonly compression: Compression;
  /** Null: nothing is encrypted. */
  readonly tls: { readonly ca: string | null } | null;
  /** Null: nobody asks who it is. */
  readonly login: { readonly mechanism: LoginMechanism; readonly user: string; readonly password: string } | null;
  /** How long what passes by itself is waited out, in milliseconds. */
  readonly patienceMs: number;
  readonly onAway: OnAway;
}

export const compressions = ['none', 'gzip', 'zstd'] as const;

export type Compression = (typeof compressions)[number];

export const loginMechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

export type LoginMechanism = (typeof loginMechanisms)[number];

// A member of a consumer group, of which kafkajs does the talking; what it reads is read elsewhere.
import { setTimeout as pause } from 'node:timers/promises';
import type { Membership, TopicPartition } from '../transport.ts';
import type { Cluster, PartitionMetadata } from './cluster.ts';
import { codes, faultOf, stumbleOf } from './faults.ts';
import { type Broker, ConsumerGroup, exchange, type GroupCluster, roundRobin } from './parts.ts';

/** How soon a member hears that partitions are to be shared anew. */
const heartbeatMs = 1_000;
/** How soon the others get the partitions of a member that is no longer heard of. */
const sessionMs = 15_000;
/** How long a member may take to hear of it. */
const rebalanceMs = 30_000;
/** A group that does not hear that a member leaves finds out. */
const goodbyeMs = 2_000;

interface CoordinatorFound {
  readonly errorCode: number;
  readonly coordinator: { readonly host: string; readonly port: number };
}

export class GroupMember implements Membership {
  readonly #cluster: Cluster;
  readonly #name: string;
  readonly #topics: readonly string[];
  readonly #group: ConsumerGroup;
  readonly #leaving = new AbortController();
  readonly #partitions = new Map<string, readonly PartitionMetadata[]>();
  #coordinator: Broker | null = null;
  #news = Promise.withResolvers<void>();
  #staying: Promise<void> = Promise.resolve();

  private constructor(cluster: Cluster, name: string, topics: readonly string[]) {
    this.#cluster = cluster;
    this.#name = name;
    this.#topics = topics;
    this.#group = this.#newGroup();
  }

  static async join(cluster: Cluster, name: string, topics: readonly string[]): Promise<GroupMember> {
    const member = new GroupMember(cluster, name, topics);
    await member.#join();
    member.#staying = member.#stay();
    member.#staying.catch(() => {});
    return member;
  }

  async *assignments(): AsyncGenerator<readonly TopicPartition[]> {
    while (!this.#leaving.signal.aborted) {
      const news = this.#news.promise;
      yield this.#group
        .assigned()
        .flatMap(({ topic, partitions }) => partitions.map((partition) => ({ topic, partition })));
      await Promise.race([news, this.#staying]).catch((error: unknown) => {
        if (!this.#leaving.signal.aborted) throw error;
      });
    }
  }

  async leave(): Promise<void> {
    if (this.#leaving.signal.aborted) return;
    this.#leaving.abort();
    // To join again may take until the others have as well.
    this.#hangUp();
    await this.#staying.catch(() => {});
    // Whoever is not heard of any more is taken for gone after a while.
    await Promise.race([this.#sayGoodbye().catch(() => {}), pause(goodbyeMs, undefined, { ref: false })]);
    this.#hangUp();
  }

  /** Until it leaves. Throws when the group cannot be reached any more. */
  async #stay(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      await pause(heartbeatMs, undefined, { signal }).catch(() => {});
      if (!signal.aborted && !(await this.#isStillMember())) await this.#join();
    }
  }

  async #sayGoodbye(): Promise<void> {
    const { memberId } = this.#group;
    if (memberId !== null) await (await this.#findCoordinator()).leaveGroup({ groupId: this.#name, memberId });
  }

  async #isStillMember(): Promise<boolean> {
    try {
      await this.#group.heartbeat({ interval: 0 });
      return true;
    } catch (error) {
      this.#forgetWhatFailed(error);
      return false;
    }
  }

  async #join(): Promise<void> {
    await this.#cluster.patiently(async () => {
      this.#leaving.signal.throwIfAborted();
      try {
        for (const topic of this.#topics) this.#partitions.set(topic, await this.#cluster.partitions(topic));
        await this.#group.joinAndSync();
      } catch (error) {
        this.#forgetWhatFailed(error);
        throw stumbleOf(error, false);
      }
    });
    const news = this.#news;
    this.#news = Promise.withResolvers();
    news.resolve();
  }

  #forgetWhatFailed(error: unknown): void {
    if (error instanceof Error && 'type' in error && error.type === 'UNKNOWN_MEMBER_ID') this.#group.memberId = null;
    this.#hangUp();
  }

  #hangUp(): void {
    if (this.#coordinator !== null) this.#cluster.connections.discard(this.#coordinator);
    this.#coordinator = null;
  }

  async #findCoordinator(): Promise<Broker> {
    if (this.#coordinator?.isConnected()) return this.#coordinator;
    const asked = exchange<CoordinatorFound>('GroupCoordinator', 2, { groupId: this.#name });
    const { errorCode, coordinator } = await this.#cluster.askAny(asked);
    if (errorCode !== codes.none) throw faultOf(errorCode, '', `the group ${this.#name}`);
    this.#coordinator = await this.#cluster.connections.connect(`${coordinator.host}:${coordinator.port}`);
    return this.#coordinator;
  }

  #newGroup(): ConsumerGroup {
    const cluster: GroupCluster = {
      findGroupCoordinator: () => this.#findCoordinator(),
      refreshMetadata: async () => {},
      findTopicPartitionMetadata: (topic) => this.#partitions.get(topic) ?? [],
      committedOffsets: () => ({}),
    };
    const { logger } = this.#cluster.connections;
    return new ConsumerGroup({
      cluster,
      groupId: this.#name,
      topics: this.#topics,
      assigners: [roundRobin({ cluster })],
      sessionTimeout: sessionMs,
      rebalanceTimeout: rebalanceMs,
      retry: { retries: 10, initialRetryTime: 20, maxRetryTime: heartbeatMs },
      logger,
      instrumentationEmitter: { emit: () => {} },
    });
  }
}

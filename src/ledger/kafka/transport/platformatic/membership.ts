// A member of a consumer group. The library's own consumer stays with the first coordinator of the group it has found, and
// falls silent for good when one heartbeat fails.
import { setTimeout as pause } from 'node:timers/promises';
import {
  findCoordinatorV4,
  heartbeatV4,
  joinGroupV7,
  leaveGroupV5,
  ResponseError,
  syncGroupV5,
} from '@platformatic/kafka';
import { Stumble } from '../stumble.ts';
import type { Membership, TopicPartition } from '../transport.ts';
import type { Cluster, Send } from './cluster.ts';
import { answerTo, faultIn, meaningOf } from './faults.ts';
import { deal, readShare, readWishes, sharingName, type Wishing, writeShare, writeWishes } from './group-messages.ts';

/** How soon a member hears that partitions are to be shared anew. */
const heartbeatMs = 1_000;
/** How soon the others get the partitions of a member that is no longer heard of. */
const sessionMs = 15_000;
/** How long a member may take to hear of it. */
const rebalanceMs = 30_000;

const ofGroups = 0;
const protocolType = 'consumer';
const noFixedName = null;
const newMember = '';

/** As the coordinator knows a member between two times of sharing. */
interface Place {
  readonly member: string;
  readonly generation: number;
}

const outside: Place = { member: newMember, generation: -1 };

/** What the coordinator says to who has to join again. */
const sharedAnew = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID', 'MEMBER_ID_REQUIRED']);

class SharedAnew extends Stumble {
  override readonly name = 'SharedAnew';
}

export class GroupMember implements Membership {
  readonly #cluster: Cluster;
  readonly #group: string;
  readonly #topics: readonly string[];
  readonly #leaving = new AbortController();
  #place = outside;
  #coordinator: string | null = null;
  #share: readonly TopicPartition[] = [];
  #news = Promise.withResolvers<void>();
  #staying: Promise<void> = Promise.resolve();

  private constructor(cluster: Cluster, group: string, topics: readonly string[]) {
    this.#cluster = cluster;
    this.#group = group;
    this.#topics = topics;
  }

  static async join(cluster: Cluster, group: string, topics: readonly string[]): Promise<GroupMember> {
    const member = new GroupMember(cluster, group, topics);
    await member.#join();
    member.#staying = member.#stay();
    member.#staying.catch(() => {});
    return member;
  }

  async *assignments(): AsyncGenerator<readonly TopicPartition[]> {
    while (!this.#leaving.signal.aborted) {
      const news = this.#news.promise;
      yield this.#share;
      await Promise.race([news, this.#staying]);
    }
  }

  async leave(): Promise<void> {
    if (this.#leaving.signal.aborted) return;
    this.#leaving.abort();
    this.#news.resolve();
    const members = [{ memberId: this.#place.member }];
    // Whoever is not heard of any more is taken for gone after a while.
    await this.#askCoordinator((connection) => leaveGroupV5.api.async(connection, this.#group, members)).catch(
      () => {},
    );
  }

  /** Until it leaves. Throws when the group cannot be reached any more. */
  async #stay(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      await pause(heartbeatMs, undefined, { signal }).catch(() => {});
      if (!signal.aborted && !(await this.#isStillMember())) await this.#join();
    }
  }

  /** A coordinator that cannot be reached is looked for again: as long as it knows the member, nothing has changed. */
  #isStillMember(): Promise<boolean> {
    return this.#cluster.patiently(async () => {
      const { member, generation } = this.#place;
      try {
        await this.#askCoordinator((connection) =>
          heartbeatV4.api.async(connection, this.#group, generation, member, noFixedName),
        );
        return true;
      } catch (error) {
        if (error instanceof SharedAnew) return false;
        throw error;
      }
    });
  }

  async #join(): Promise<void> {
    this.#share = await this.#cluster.patiently(() => this.#joinOnce());
    const news = this.#news;
    this.#news = Promise.withResolvers();
    news.resolve();
  }

  async #joinOnce(): Promise<readonly TopicPartition[]> {
    this.#leaving.signal.throwIfAborted();
    const protocols = [{ name: sharingName, metadata: writeWishes(this.#topics) }];
    const { member } = this.#place;
    const group = this.#group;
    const joined = await this.#askCoordinator(
      (connection) =>
        joinGroupV7.api.async(connection, group, sessionMs, rebalanceMs, member, noFixedName, protocolType, protocols),
      rebalanceMs + this.#cluster.connections.answerMs,
    );
    const place = { member: joined.memberId ?? newMember, generation: joined.generationId };
    this.#place = place;
    const shares = joined.leader === place.member ? await this.#dealOut(joined.members) : [];
    const { assignment } = await this.#askCoordinator(
      (connection) =>
        syncGroupV5.api.async(
          connection,
          group,
          place.generation,
          place.member,
          noFixedName,
          protocolType,
          sharingName,
          shares,
        ),
      rebalanceMs + this.#cluster.connections.answerMs,
    );
    return readShare(assignment);
  }

  /** One of the members decides for all of them. */
  async #dealOut(
    members: readonly joinGroupV7.JoinGroupResponseMember[],
  ): Promise<syncGroupV5.SyncGroupRequestAssignment[]> {
    const wishing: Wishing[] = [];
    for (const { memberId, metadata } of members) {
      if (metadata !== null) wishing.push({ member: memberId, topics: readWishes(metadata) });
    }
    const partitions: TopicPartition[] = [];
    for (const topic of new Set(wishing.flatMap(({ topics }) => topics))) {
      for (const { partitionIndex } of await this.#cluster.partitions(topic)) {
        partitions.push({ topic, partition: partitionIndex });
      }
    }
    return [...deal(wishing, partitions)].map(([memberId, share]) => ({ memberId, assignment: writeShare(share) }));
  }

  async #askCoordinator<Answer>(send: Send<Answer>, answerMs?: number): Promise<Answer> {
    this.#coordinator ??= await this.#findCoordinator();
    try {
      return await this.#cluster.connections.ask(this.#coordinator, send, answerMs);
    } catch (error) {
      const fault = faultIn(error);
      if (fault !== null && sharedAnew.has(fault.name)) throw this.#shareAnew(error, fault.name);
      this.#coordinator = null;
      throw meaningOf(error, `the group ${this.#group}`);
    }
  }

  #shareAnew(error: unknown, name: string): SharedAnew {
    if (name === 'UNKNOWN_MEMBER_ID') this.#place = outside;
    if (name === 'MEMBER_ID_REQUIRED' && error instanceof ResponseError) {
      const { memberId }: joinGroupV7.JoinGroupResponse = error['response'];
      this.#place = { ...outside, member: memberId ?? newMember };
    }
    return new SharedAnew(`the group ${this.#group} shares its partitions anew`, { maybeDone: false, cause: error });
  }

  async #findCoordinator(): Promise<string> {
    const { coordinators } = await answerTo(
      `the group ${this.#group}`,
      this.#cluster.askAny((connection) => findCoordinatorV4.api.async(connection, ofGroups, [this.#group])),
    );
    const [found] = coordinators;
    if (found === undefined) throw new Stumble(`the group ${this.#group} has no coordinator`, { maybeDone: false });
    return `${found.host}:${found.port}`;
  }
}

// A member of a consumer group. The libraries' own consumers read as well, which is not wanted here; and one of them stays
// with the first coordinator of the group that it has found, and falls silent for good when one heartbeat fails.
import { setTimeout as pause } from 'node:timers/promises';
import { Stumble } from '../../remote/stumble.ts';
import type { Joined, Place } from './client.ts';
import type { Cluster } from './cluster.ts';
import type { Send } from './connections.ts';
import { answerTo, BrokerFault, codes, meaningOf } from './faults.ts';
import { deal, readShare, readWishes, type Wishing, writeShare, writeWishes } from './group-messages.ts';
import type { Membership, TopicPartition } from './transport.ts';

/** How soon a member hears that partitions are to be shared anew. */
const heartbeatMs = 1_000;
/** How soon the others get the partitions of a member that is no longer heard of. */
const sessionMs = 15_000;
/** How long a member may take to hear of it. */
const rebalanceMs = 30_000;
/** A group that does not hear that a member leaves finds out. */
const goodbyeMs = 2_000;

const newMember = '';
const outside: Place = { member: newMember, generation: -1 };

/** What the coordinator says to who has to join again. */
const sharedAnew = new Set<number>([codes.rebalanceInProgress, codes.illegalGeneration, codes.unknownMember]);

class SharedAnew extends Stumble {
  override readonly name = 'SharedAnew';
}

export class GroupMember<Connection> implements Membership {
  readonly #cluster: Cluster<Connection>;
  readonly #group: string;
  readonly #topics: readonly string[];
  readonly #leaving = new AbortController();
  #place = outside;
  #coordinator: string | null = null;
  #share: readonly TopicPartition[] = [];
  #news = Promise.withResolvers<void>();
  #staying: Promise<void> = Promise.resolve();

  private constructor(cluster: Cluster<Connection>, group: string, topics: readonly string[]) {
    this.#cluster = cluster;
    this.#group = group;
    this.#topics = topics;
  }

  static async join<Connection>(
    cluster: Cluster<Connection>,
    group: string,
    topics: readonly string[],
  ): Promise<GroupMember<Connection>> {
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
      await Promise.race([news, this.#staying]).catch((error: unknown) => {
        if (!this.#leaving.signal.aborted) throw error;
      });
    }
  }

  async leave(): Promise<void> {
    if (this.#leaving.signal.aborted) return;
    this.#leaving.abort();
    this.#news.resolve();
    const { requests } = this.#cluster.client;
    const goodbye = this.#askCoordinator((connection) => requests.leave(connection, this.#group, this.#place.member));
    // Whoever is not heard of any more is taken for gone after a while.
    await Promise.race([goodbye.catch(() => {}), pause(goodbyeMs, undefined, { ref: false })]);
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
    const { requests } = this.#cluster.client;
    return this.#cluster.patiently(async () => {
      try {
        await this.#askCoordinator((connection) => requests.heartbeat(connection, this.#group, this.#place));
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
    const { requests } = this.#cluster.client;
    // The others have so long to join as well, and then their leader to deal out.
    const answerMs = rebalanceMs + this.#cluster.connections.answerMs;
    const asked = {
      group: this.#group,
      sessionMs,
      rebalanceMs,

      wishes: writeWishes(this.#topics),
    };
    const joined = await this.#askCoordinator(
      (connection) => requests.join(connection, { ...asked, member: this.#place.member }),
      answerMs,
    );
    const { member, generation } = joined;
    this.#place = { member, generation: generation ?? -1 };
    if (generation === null) return await this.#joinOnce();
    const shares = joined.leader === member ? await this.#dealOut(joined) : new Map<string, Buffer>();
    const sync: Send<Connection, Buffer> = (connection) => requests.sync(connection, this.#group, this.#place, shares);
    return readShare(await this.#askCoordinator(sync, answerMs));
  }

  /** One of the members decides for all of them. */
  async #dealOut({ members }: Joined): Promise<ReadonlyMap<string, Buffer>> {
    const wishing: Wishing[] = [...members].map(([member, wishes]) => ({ member, topics: readWishes(wishes) }));
    const partitions: TopicPartition[] = [];
    for (const topic of new Set(wishing.flatMap(({ topics }) => topics)))
      for (const { partition } of await this.#cluster.partitions(topic)) partitions.push({ topic, partition });
    return new Map([...deal(wishing, partitions)].map(([member, share]) => [member, writeShare(share)]));
  }

  async #askCoordinator<Answer>(send: Send<Connection, Answer>, answerMs?: number): Promise<Answer> {
    this.#coordinator ??= await this.#findCoordinator();
    try {
      return await this.#cluster.connections.ask(this.#coordinator, send, answerMs);
    } catch (error) {
      if (error instanceof BrokerFault && sharedAnew.has(error.code)) {
        if (error.code === codes.unknownMember) this.#place = outside;
        const what = `the group ${this.#group} shares its partitions anew`;
        throw new SharedAnew(what, { maybeDone: false, cause: error });
      }
      this.#coordinator = null;
      throw meaningOf(error, `the group ${this.#group}`);
    }
  }

  async #findCoordinator(): Promise<string> {
    const { requests } = this.#cluster.client;
    const asked = this.#cluster.askAny((connection) => requests.coordinator(connection, this.#group));
    return await answerTo(`the group ${this.#group}`, asked);
  }
}

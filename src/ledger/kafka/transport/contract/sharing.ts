// Groups: partitions shared between members.
import { describe, expect, it } from 'vitest';
import type { Membership, TopicPartition } from '../transport.ts';
import { range, type TransportBench } from './bench.ts';

export function sharing(bench: () => TransportBench): void {
  describe('a group', () => {
    it('gives its only member all partitions', async () => {
      const [one, other] = [await bench().topic({}, 3), await bench().topic({}, 2)];
      const member = Followed.of(await bench().open().join(bench().name(), [one, other]));
      await member.until(() => member.partitionsOf(one).length === 3);
      expect(member.partitionsOf(one)).toEqual(range(0, 3));
      expect(member.partitionsOf(other)).toEqual(range(0, 2));
    });

    it('shares them between two, and gives them back to the one that stays', async () => {
      const [topic, group] = [await bench().topic({}, 5), bench().name()];
      const [stays, leaves] = [bench().open(), bench().open()];
      const first = Followed.of(await stays.join(group, [topic]));
      await first.until(() => first.partitionsOf(topic).length === 5);
      const second = Followed.of(await leaves.join(group, [topic]));
      const shared = (): number[] => [...first.partitionsOf(topic), ...second.partitionsOf(topic)].sort();
      await first.until(() => first.partitionsOf(topic).length < 5);
      await second.until(() => shared().length === 5);
      expect(shared()).toEqual(range(0, 5));
      expect(first.partitionsOf(topic).length).toBeGreaterThan(1);
      expect(second.partitionsOf(topic).length).toBeGreaterThan(1);

      expect(await bench().raw.countMembers(group)).toBe(2);
      await second.membership.leave();
      expect(await bench().raw.countMembers(group)).toBe(1);
      await second.over;
      await first.until(() => first.partitionsOf(topic).length === 5);
      await stays.close();
      await first.over;
    });

    it('may have more members than partitions', async () => {
      const [topic, group] = [await bench().topic(), bench().name()];
      const first = Followed.of(await bench().open().join(group, [topic]));
      const second = Followed.of(await bench().open().join(group, [topic]));
      const shared = (): number => first.partitionsOf(topic).length + second.partitionsOf(topic).length;
      await Promise.all([first.heard(), second.heard()]);
      await first.until(() => shared() === 1);
    });
  });
}

/** A membership, and what is its own as it stands. */
class Followed {
  readonly membership: Membership;
  /** When its assignments have ended. */
  readonly over: Promise<void>;
  #assigned: readonly TopicPartition[] = [];
  #news = Promise.withResolvers<void>();
  #heardOf = false;

  private constructor(membership: Membership) {
    this.membership = membership;
    this.over = this.#follow();
  }

  static of(membership: Membership): Followed {
    return new Followed(membership);
  }

  partitionsOf(topic: string): number[] {
    const own = this.#assigned.filter((assigned) => assigned.topic === topic);
    return own.map(({ partition }) => partition).sort((one, other) => one - other);
  }

  async heard(): Promise<void> {
    await this.until(() => this.#heardOf);
  }

  /** Looks again at each change. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await this.#news.promise;
  }

  async #follow(): Promise<void> {
    for await (const assigned of this.membership.assignments()) {
      this.#assigned = assigned;
      this.#heardOf = true;
      const news = this.#news;
      this.#news = Promise.withResolvers();
      news.resolve();
    }
  }
}

// All partitions of a ledger in a fixed order, each a lane with a number. A stream lies in one lane: the one that Kafka's own
// clients would choose for its name.
import { type Category, categories } from '../../../schemas/streams.ts';
import { murmur2 } from './murmur2.ts';
import { type Partitions, topicOf } from './topics.ts';

export interface Lane {
  readonly number: number;
  readonly category: Category;
  readonly topic: string;
  readonly partition: number;
}

export class Lanes {
  readonly all: readonly Lane[];
  readonly #of: ReadonlyMap<Category, readonly Lane[]>;

  constructor(prefix: string, partitions: Partitions) {
    const all: Lane[] = [];
    const of = new Map<Category, readonly Lane[]>();
    for (const category of categories) {
      const lanes = Array.from({ length: partitions[category] }, (_, partition) => {
        return { number: all.length + partition, category, topic: topicOf(prefix, category), partition };
      });
      all.push(...lanes);
      of.set(category, lanes);
    }
    this.all = all;
    this.#of = of;
  }

  get count(): number {
    return this.all.length;
  }

  at(number: number): Lane {
    return this.all[number] as Lane;
  }

  of(category: Category): readonly Lane[] {
    return this.#of.get(category) ?? [];
  }

  /** Null for a name that no stream can have. */
  ofStream(stream: string): Lane | null {
    const lanes = this.of(stream.slice(0, Math.max(stream.indexOf('-'), 0)) as Category);
    if (lanes.length < 2) return lanes[0] ?? null;
    return lanes[(murmur2(Buffer.from(stream)) & 0x7fffffff) % lanes.length] ?? null;
  }

  /** Those in which streams may lie whose names begin so. */
  ofPrefix(prefix: string): readonly Lane[] {
    const dash = prefix.indexOf('-');
    if (dash >= 0) return this.of(prefix.slice(0, dash) as Category);
    return this.all.filter(({ category }) => category.startsWith(prefix));
  }
}

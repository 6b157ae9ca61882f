// What members of a consumer group tell each other through the broker, which does not look into it: the topics each wants,
// and the partitions each is given. In the form, and by the name, of kafkajs's round robin, so that others who share alike
// may be in one group.
import type { TopicPartition } from './transport.ts';

export const sharingName = 'RoundRobinAssigner';

const formatVersion = 0;
/** What members may add for themselves is not used. */
const nothingAdded = int32(0);

export function writeWishes(topics: readonly string[]): Buffer {
  return Buffer.concat([int16(formatVersion), ...list(topics, text), nothingAdded]);
}

export function readWishes(bytes: Buffer): readonly string[] {
  const reader = new MessageReader(bytes);
  reader.int16();
  return reader.list(() => reader.text());
}

export function writeShare(share: readonly TopicPartition[]): Buffer {
  const topics = [...Map.groupBy(share, ({ topic }) => topic)];
  const ofTopic = ([topic, partitions]: (typeof topics)[number]): Buffer =>
    Buffer.concat([text(topic), ...list(partitions, ({ partition }) => int32(partition))]);
  return Buffer.concat([int16(formatVersion), ...list(topics, ofTopic), nothingAdded]);
}

/** Empty for a member that was given none. */
export function readShare(bytes: Buffer): readonly TopicPartition[] {
  if (bytes.length === 0) return [];
  const reader = new MessageReader(bytes);
  reader.int16();
  const topics = reader.list(() => {
    const topic = reader.text();
    return reader.list(() => ({ topic, partition: reader.int32() }));
  });
  return topics.flat();
}

/** A member of the group, and what it wants. */
export interface Wishing {
  readonly member: string;
  readonly topics: readonly string[];
}

/** Deals the partitions out in turn, each topic among the members that want it. */
export function deal(
  members: readonly Wishing[],
  partitions: readonly TopicPartition[],
): ReadonlyMap<string, readonly TopicPartition[]> {
  const shares = new Map<string, TopicPartition[]>(members.map(({ member }) => [member, []]));
  const ordered = members.toSorted((one, other) => (one.member < other.member ? -1 : 1));
  partitions.forEach((each, index) => {
    const takers = ordered.filter(({ topics }) => topics.includes(each.topic));
    const taker = takers[index % takers.length];
    if (taker !== undefined) shares.get(taker.member)?.push(each);
  });
  return shares;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([int16(bytes.length), bytes]);
}

function list<Item>(items: readonly Item[], write: (item: Item) => Buffer): Buffer[] {
  return [int32(items.length), ...items.map(write)];
}

class MessageReader {
  readonly #bytes: Buffer;
  #next = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  int16(): number {
    this.#next += 2;
    return this.#bytes.readInt16BE(this.#next - 2);
  }

  int32(): number {
    this.#next += 4;
    return this.#bytes.readInt32BE(this.#next - 4);
  }

  text(): string {
    const length = this.int16();
    this.#next += length;
    return this.#bytes.toString('utf8', this.#next - length, this.#next);
  }

  list<Item>(read: () => Item): Item[] {
    const items: Item[] = [];
    for (let left = this.int32(); left > 0; left--) items.push(read());
    return items;
  }
}

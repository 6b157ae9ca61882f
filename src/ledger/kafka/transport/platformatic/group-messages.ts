// What members of a consumer group tell each other through the broker, which does not look into it: the topics each wants,
// and the partitions each is given. In the form, and by the name, of kafkajs's round robin, so that members of both clients
// may be in one group.
import { Reader, Writer } from '@platformatic/kafka';
import type { TopicPartition } from '../transport.ts';

export const sharingName = 'RoundRobinAssigner';

const formatVersion = 0;
const nothing = Buffer.alloc(0);

export function writeWishes(topics: readonly string[]): Buffer {
  return Writer.create()
    .appendInt16(formatVersion)
    .appendArray([...topics], (writer, topic) => writer.appendString(topic, false), false, false)
    .appendBytes(nothing, false).buffer;
}

export function readWishes(bytes: Buffer): readonly string[] {
  const reader = Reader.from(bytes);
  reader.readInt16();
  return reader.readArray((each) => each.readString(false), false, false);
}

export function writeShare(share: readonly TopicPartition[]): Buffer {
  const topics = [...Map.groupBy(share, ({ topic }) => topic)];
  const ofTopic = (writer: Writer, [topic, partitions]: (typeof topics)[number]): void => {
    writer.appendString(topic, false);
    writer.appendArray(partitions, (each, { partition }) => each.appendInt32(partition), false, false);
  };
  return Writer.create()
    .appendInt16(formatVersion)
    .appendArray(topics, ofTopic, false, false)
    .appendBytes(nothing, false).buffer;
}

/** Empty for a member that was given none. */
export function readShare(bytes: Buffer): readonly TopicPartition[] {
  if (bytes.length === 0) return [];
  const reader = Reader.from(bytes);
  reader.readInt16();
  const ofTopic = (each: Reader): readonly TopicPartition[] => {
    const topic = each.readString(false);
    return each.readArray((one) => ({ topic, partition: one.readInt32() }), false, false);
  };
  return reader.readArray(ofTopic, false, false).flat();
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

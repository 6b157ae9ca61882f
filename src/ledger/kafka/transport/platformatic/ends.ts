// Where the partitions of a topic begin and end. Each leader tells of its own.
import { listOffsetsV7 } from '@platformatic/kafka';
import type { PartitionEnds } from '../transport.ts';
import type { Cluster } from './cluster.ts';
import { answerTo } from './faults.ts';

/** Of a client, which keeps no replica. */
const noReplica = -1;
const readCommitted = 1;
const unknownEpoch = -1;
const earliest = -2n;
const latest = -1n;

export function endsOf(cluster: Cluster, topic: string): Promise<readonly PartitionEnds[]> {
  return cluster.patiently(async () => {
    // Partitions may have been added.
    cluster.forget(topic);
    const partitions = await cluster.partitions(topic);
    const led = new Map<string, number[]>();
    for (const { partitionIndex } of partitions) {
      const leader = await cluster.leader(topic, partitionIndex);
      led.set(leader, [...(led.get(leader) ?? []), partitionIndex]);
    }
    const ends = await Promise.all([...led].map(([leader, indexes]) => endsAt(cluster, leader, topic, indexes)));
    return ends.flat().sort((one, other) => one.partition - other.partition);
  });
}

async function endsAt(
  cluster: Cluster,
  leader: string,
  topic: string,
  partitions: readonly number[],
): Promise<readonly PartitionEnds[]> {
  const at = async (timestamp: bigint): Promise<ReadonlyMap<number, number>> => {
    const asked = partitions.map((partitionIndex) => ({ partitionIndex, currentLeaderEpoch: unknownEpoch, timestamp }));
    const topics = [{ name: topic, partitions: asked }];
    const { topics: answered } = await answerTo(
      `the ends of ${topic}`,
      cluster.connections.ask(leader, (connection) =>
        listOffsetsV7.api.async(connection, noReplica, readCommitted, topics),
      ),
      topic,
    );
    const offsets = answered.flatMap(({ partitions: found }) => found);
    return new Map(offsets.map(({ partitionIndex, offset }) => [partitionIndex, Number(offset)]));
  };
  const [starts, ends] = await Promise.all([at(earliest), at(latest)]);
  return partitions.map((partition) => {
    const start = starts.get(partition) ?? 0;
    return { partition, start, end: ends.get(partition) ?? start };
  });
}

// Where the partitions of a topic begin and end. Each leader tells of its own.
import type { Cluster } from './cluster.ts';
import { answerTo } from './faults.ts';
import type { PartitionEnds } from './transport.ts';

export function endsOf<Connection>(cluster: Cluster<Connection>, topic: string): Promise<readonly PartitionEnds[]> {
  return cluster.patiently(async () => {
    // Partitions may have been added, and what is asked for below may fail for a leader that is none any more.
    cluster.forget(topic);
    const led = new Map<string, number[]>();
    for (const { partition } of await cluster.partitions(topic)) {
      const leader = await cluster.leader(topic, partition);
      led.set(leader, [...(led.get(leader) ?? []), partition]);
    }
    const ends = await Promise.all([...led].map(([leader, partitions]) => endsAt(cluster, leader, topic, partitions)));
    return ends.flat().sort((one, other) => one.partition - other.partition);
  });
}

async function endsAt<Connection>(
  { client, connections }: Cluster<Connection>,
  leader: string,
  topic: string,
  partitions: readonly number[],
): Promise<readonly PartitionEnds[]> {
  const offsets = (edge: 'start' | 'end'): Promise<ReadonlyMap<number, number>> => {
    const asked = connections.ask(leader, (connection) => client.requests.offsets(connection, topic, partitions, edge));
    return answerTo(`the ends of ${topic}`, asked, topic);
  };
  const [starts, ends] = await Promise.all([offsets('start'), offsets('end')]);
  return partitions.map((partition) => {
    const start = starts.get(partition) ?? 0;
    return { partition, start, end: ends.get(partition) ?? start };
  });
}

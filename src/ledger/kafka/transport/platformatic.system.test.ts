import { describe, expect, it } from 'vitest';
import { startKafka, whyNoKafka } from '../testing/broker.ts';
import { records, TransportBench } from './contract/bench.ts';
import { transportContract } from './contract/contract.ts';
import { openKafkajs } from './kafkajs.ts';
import { openPlatformatic } from './platformatic.ts';
import type { Membership } from './transport.ts';

const reason = whyNoKafka();

describe.skipIf(reason !== null)(`a real Kafka${reason === null ? '' : ` (${reason})`}`, () => {
  transportContract('@platformatic/kafka', openPlatformatic);

  it.skipIf(process.env['ICECORE_TEST_KAFKA'])('a batch that was never sent is not said to be unknown', async () => {
    const kafka = await startKafka();
    const bench = new TransportBench(kafka, openPlatformatic);
    const proxy = await kafka.own?.proxy(0);
    try {
      const topic = await bench.topic();
      const transport = bench.open({ brokers: [proxy?.address ?? ''], patienceMs: 1_000 });
      proxy?.silence();
      await expect(transport.produce(topic, 0, records(1))).rejects.toMatchObject({ name: 'KafkaAway' });
    } finally {
      await bench.closeTransports();
      await proxy?.close();
      await bench.dispose();
    }
  });

  describe('beside kafkajs', () => {
    it.each(['kafkajs', '@platformatic/kafka'])('a group has members of both, %s first', async (first) => {
      const kafka = await startKafka();
      const benches = [new TransportBench(kafka, openKafkajs), new TransportBench(kafka, openPlatformatic)] as const;
      const [one, other] = first === 'kafkajs' ? benches : benches.toReversed();
      try {
        const topic = await benches[0].topic({}, 4);
        const members = [await one?.open().join(topic, [topic]), await other?.open().join(topic, [topic])] as const;
        const shares = await Promise.all(members.map((member) => untilOf(member, 2)));
        expect(shares.flat().sort()).toEqual([0, 1, 2, 3]);
        await members[0]?.leave();
        expect(await untilOf(members[1], 4)).toEqual([0, 1, 2, 3]);
      } finally {
        for (const bench of benches) await bench.dispose();
      }
    });
  });
});

/** The partitions of a member once they are so many. */
async function untilOf(member: Membership | undefined, count: number): Promise<readonly number[]> {
  for await (const share of member?.assignments() ?? []) {
    if (share.length === count) return share.map(({ partition }) => partition).sort();
  }
  throw new Error('the member has left');
}

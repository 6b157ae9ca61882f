// Reading spans of partitions from brokers that answer with whole batches, some of whose records were removed by compaction.
import fc from 'fast-check';
import type { Kafka } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { Reader } from './reader.ts';
import { endless } from './testing/evidence.ts';

const partitions = 3;
const high = 60;

interface Requested {
  readonly topics: readonly {
    readonly partitions: readonly { readonly partition: number; readonly fetchOffset: string }[];
  }[];
}

/** Two brokers with the same records in each partition: an offset that divides by `gap` has none, and one by `markers` a marker. */
function brokers(batch: number, gap: number, markers: number): Kafka {
  const message = (offset: number) => ({ offset: String(offset), isControlRecord: offset % markers === 0 });
  const batchAt = (from: number): readonly ReturnType<typeof message>[] => {
    const begin = from - (from % batch);
    const all = Array.from({ length: Math.min(batch, high - begin) }, (_, index) => begin + index);
    // The last record of a partition is never removed.
    const rest = all.filter((offset) => offset % gap !== 0 || offset === high - 1);
    return rest.length > 0 || begin + batch >= high ? rest.map(message) : batchAt(begin + batch);
  };
  const fetch = async ({ topics }: Requested) => ({
    responses: topics.map((topic) => ({
      partitions: topic.partitions.map(({ partition, fetchOffset }) => {
        return { partition, highWatermark: String(high), messages: batchAt(Number(fetchOffset)) };
      }),
    })),
  });
  const cluster = {
    addTargetTopic: async () => undefined,
    findTopicPartitionMetadata: () =>
      Array.from({ length: partitions }, (_, partitionId) => ({ partitionId, leader: partitionId % 2 })),
    findBroker: async () => ({ fetch }),
  };
  return {
    consumer: ({ partitionAssigners: [assigner] }: { partitionAssigners: ((config: object) => unknown)[] }) => {
      assigner?.({ cluster });
      return { connect: async () => undefined, disconnect: async () => undefined };
    },
  } as unknown as Kafka;
}

const span = fc
  .record({ partition: fc.nat({ max: partitions - 1 }), from: fc.nat({ max: high }), length: fc.nat({ max: 20 }) })
  .map(({ partition, from, length }) => ({ partition, from, until: Math.min(from + length, high) }));
const few = fc.integer({ min: 2, max: 9 });

describe('spans of partitions', () => {
  it('are read completely, in order and once, with nothing before the first or after the last', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(span), few, few, few, async (spans, batch, gap, markers) => {
        const reader = new Reader(brokers(batch, gap, markers), 1_000);
        const read = Array.from({ length: partitions }, (): number[] => []);
        const reached = Array.from({ length: partitions }, () => 0);
        for await (const { partition, records, next } of reader.read('t', spans, endless)) {
          read[partition]?.push(...records.map(({ offset }) => Number(offset)));
          reached[partition] = next;
        }
        for (const [partition, offsets] of read.entries()) {
          const own = spans.filter(({ partition: of, from, until }) => of === partition && from < until);
          const [first, end] = [Math.min(...own.map(({ from }) => from)), Math.max(...own.map(({ until }) => until))];
          expect(offsets).toEqual([...new Set(offsets)].sort((a, b) => a - b));
          expect(offsets.every((offset) => first <= offset && offset < end)).toBe(true);
          if (own.length > 0) expect(reached[partition]).toBe(end);
          const exists = (offset: number): boolean =>
            offset % markers !== 0 && (offset % gap !== 0 || offset === high - 1);
          const wanted = own.flatMap(({ from, until }) => Array.from({ length: until - from }, (_, i) => from + i));
          expect(offsets).toEqual(expect.arrayContaining(wanted.filter(exists)));
        }
      }),
    );
  });
});

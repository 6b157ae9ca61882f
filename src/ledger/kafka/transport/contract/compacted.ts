// Topics that others had compacted: offsets without records, and batches without any.
import { describe, expect, it } from 'vitest';
import { atOnce, record, type TransportBench, valuesOf } from './bench.ts';

/** Compacts soon, and whatever is there. A segment is left alone until another has begun. */
const soon = {
  'cleanup.policy': 'compact',
  'segment.ms': '50',
  'min.cleanable.dirty.ratio': '0.001',
  'max.compaction.lag.ms': '100',
};

export function compacted(bench: () => TransportBench): void {
  describe('a compacted topic', () => {
    it('is read from any offset to its end', async ({ skip }) => {
      skip(bench().kafka.own === null, 'needs a broker that compacts soon');
      const [writer, other] = [bench().open({ compression: 'gzip' }), bench().open()];
      const topic = await bench().topic(soon);
      const keyed = (key: string, value: string) => record(value, { key, timestamp: Date.now() });
      await writer.produce(topic, 0, [keyed('a', 'old'), keyed('b', 'kept'), keyed('a', 'older'), keyed('c', 'old')]);
      // The last batch of a writer stays, though nothing is left in it.
      await writer.produce(topic, 0, [keyed('a', 'old'), keyed('c', 'old')]);
      await other.produce(topic, 0, [keyed('a', 'new'), keyed('c', 'new')]);
      const left = async (): Promise<string[]> => {
        await other.produce(topic, 0, [keyed('last', 'filler')]);
        const { records } = await other.fetch(topic, 0, 0, atOnce);
        return valuesOf(records).filter((value) => value !== 'filler');
      };
      await expect.poll(left, { timeout: 60_000, interval: 200 }).toEqual(['kept', 'new', 'new']);

      const [{ end } = { end: 0 }] = await other.ends(topic);
      for (let from = 0; from < end; from++) {
        for (let at = from; at < end; ) {
          const { records, next } = await other.fetch(topic, 0, at, { ...atOnce, maxBytes: 1 });
          expect(next).toBeGreaterThan(at);
          for (const { offset } of records) expect(offset).toBeGreaterThanOrEqual(at);
          at = next;
        }
      }
    });
  });
}

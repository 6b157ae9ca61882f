// The log in memory keeps what the contract asks of every transport, as far as that needs no broker; what needs one there is
// said here once more in its own terms.
import { describe, expect, it } from 'vitest';
import { appending } from '../transport/contract/appending.ts';
import { offsetsOf, range, records, TransportBench } from '../transport/contract/bench.ts';
import { LogInMemory, TopicsInMemory } from './log-in-memory.ts';

const topic = 'topic';
const atOnce = { maxBytes: 2 ** 20, maxWaitMs: 0 };

describe('the log in memory', () => {
  const shared = new TopicsInMemory();
  const nobody = { brokers: [], own: null, stop: async () => {} };
  const bench = new TransportBench(nobody, ({ compression }) => new LogInMemory(shared, { compression }));
  appending(() => bench);

  async function made(...sizes: readonly number[]): Promise<{ log: LogInMemory; topics: TopicsInMemory }> {
    const topics = new TopicsInMemory();
    const log = new LogInMemory(topics);
    await log.create([{ name: topic, partitions: 1, replicas: -1, settings: {} }]);
    for (const size of sizes) await log.produce(topic, 0, records(size, 0, '.'.repeat(100)));
    return { log, topics };
  }

  it('gives whole batches, from the midst of the first on, the first also where it is too large', async () => {
    const { log } = await made(10, 10, 10);
    const { records: found, next, end } = await log.fetch(topic, 0, 7, { ...atOnce, maxBytes: 5_000 });
    expect(offsetsOf(found)).toEqual(range(7, 20));
    expect({ next, end }).toEqual({ next: 20, end: 30 });
    expect(offsetsOf((await log.fetch(topic, 0, 7, { ...atOnce, maxBytes: 1 })).records)).toEqual(range(7, 10));
  });

  it('passes by what holds no record', async () => {
    const { log, topics } = await made(2);
    topics.partition(topic, 0).skip(3);
    expect(await log.produce(topic, 0, records(1))).toBe(5);
    topics.partition(topic, 0).skip(1);
    const { records: found, next } = await log.fetch(topic, 0, 1, atOnce);
    expect(offsetsOf(found)).toEqual([1, 5]);
    expect(next).toBe(7);
    expect(await log.fetch(topic, 0, 6, atOnce)).toMatchObject({ records: [], next: 7, end: 7 });
  });

  it('ends where something is not decided', async () => {
    const { log, topics } = await made(1);
    topics.partition(topic, 0).leaveUndecided();
    await log.produce(topic, 0, records(2));
    expect(await log.ends(topic)).toEqual([{ partition: 0, start: 0, end: 1 }]);
    expect(await log.fetch(topic, 0, 1, atOnce)).toMatchObject({ records: [], next: 1, end: 1, written: 3 });
    const waiting = log.fetch(topic, 0, 1, { ...atOnce, maxWaitMs: 600_000 });
    topics.partition(topic, 0).decide();
    expect(offsetsOf((await waiting).records)).toEqual([1, 2]);
  });

  it('waits for what comes, until it is told to stop, or closed', async () => {
    const { log } = await made();
    const waiting = log.fetch(topic, 0, 0, { ...atOnce, maxWaitMs: 600_000 });
    await log.produce(topic, 0, records(1));
    expect(offsetsOf((await waiting).records)).toEqual([0]);
    const stop = new AbortController();
    const stopped = log.fetch(topic, 0, 1, { ...atOnce, maxWaitMs: 600_000, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(stopped).rejects.toThrow('enough');
    const closed = log.fetch(topic, 0, 1, { ...atOnce, maxWaitMs: 600_000 });
    await log.close();
    await expect(closed).rejects.toMatchObject({ name: 'TransportClosed' });
    await expect(log.produce(topic, 0, records(1))).rejects.toMatchObject({ name: 'TransportClosed' });
  });

  it('misses topics, and offsets that are gone or not there yet', async () => {
    const { log, topics } = await made(5);
    topics.partition(topic, 0).removeBefore(3);
    for (const from of [2, 6])
      await expect(log.fetch(topic, 0, from, atOnce)).rejects.toMatchObject({ name: 'OffsetsGone' });
    expect(await log.ends(topic)).toEqual([{ partition: 0, start: 3, end: 5 }]);
    for (const use of [log.ends('none'), log.fetch('none', 0, 0, atOnce), log.produce('none', 0, records(1))])
      await expect(use).rejects.toMatchObject({ name: 'TopicMissing' });
    await log.remove([topic]);
    expect(await log.describe([topic])).toEqual([null]);
  });
});

// How much is asked of brokers, and so held: it grows neither with the number of partitions nor with what is not wanted.
import { describe, expect, it, vi } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { rolloutIn, run } from '../contract/samples.ts';
import { all } from './testing/all.ts';
import { ledgerTopics, onAndOn, PartsInMemory } from './testing/parts-in-memory.ts';
import { partitionsOf } from './topics.ts';

const batch = 100;

/** Evidence in each of so many partitions, in batches; whoever opens it next knows nothing of it. */
async function filled(lanes: number, batches: number): Promise<PartsInMemory> {
  const partitions = partitionsOf(lanes);
  const topics = ledgerTopics(partitions);
  const writer = new PartsInMemory(topics, { partitions });
  for (const stream of oneOfEach(writer, lanes)) {
    for (let from = 0; from < batches * batch; from += batch) {
      const events = Array.from({ length: batch }, (_, i) => rolloutIn(stream, from + i));
      await writer.writing.append(stream, events, { expect: 'any' }, onAndOn);
    }
  }
  return new PartsInMemory(topics, { partitions });
}

function oneOfEach({ lanes }: PartsInMemory, wanted: number): Iterable<string> {
  const found = new Map<number | undefined, string>();
  for (let shard = 0; found.size < wanted; shard++) {
    const stream = streamOf.evidence(run, 2, shard, 1);
    found.set(lanes.ofStream(stream)?.number, stream);
  }
  return found.values();
}

describe('what is read ahead', () => {
  it('is of all lanes together no more than of a few', async () => {
    const parts = await filled(48, 3);
    const fetch = vi.spyOn(parts.transport, 'fetch');
    expect(await all(parts)).toHaveLength(48 * 3 * batch);
    const asked = fetch.mock.calls.map(([, , , { maxBytes }]) => maxBytes);
    expect(Math.max(...asked) * 48).toBeLessThanOrEqual(4 * 2 ** 20);
  });

  it('is little behind the end of what is wanted, also where that has many lanes', async () => {
    const parts = await filled(4, 12);
    await parts.survey.head(onAndOn);
    const [, stretch] = await parts.survey.ranges(200, {}, onAndOn);
    const fetch = vi.spyOn(parts.transport, 'fetch');
    const { after, until = '' } = stretch ?? {};
    expect(await all(parts, { ...(after == null ? {} : { after }), until })).toHaveLength(200);
    const answers = await Promise.all(fetch.mock.results.map(({ value }) => value));
    const records = answers.reduce((sum, answer) => sum + answer.records.length, 0);
    expect(records).toBeLessThanOrEqual(4 * batch);
  });

  it('is more where one lane is read for long', async () => {
    const parts = await filled(1, 60);
    const fetch = vi.spyOn(parts.transport, 'fetch');
    expect(await all(parts)).toHaveLength(60 * batch);
    expect(fetch.mock.calls.length).toBeLessThan(10);
  });
});

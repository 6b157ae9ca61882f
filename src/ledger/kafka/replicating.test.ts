// Copying into a ledger while something goes wrong or somebody else writes: what is said to be stored is.
import { describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, rollout, rolloutIn, someRollouts } from '../contract/samples.ts';
import type { StoredEvent } from '../stored.ts';
import { ledgerTopics, onAndOn, PartsInMemory } from './testing/parts-in-memory.ts';
import { partitionsOf } from './topics.ts';
import { OutcomeUnknown } from './transport/errors.ts';

const any = { expect: 'any' } as const;
const otherStream = evidenceStream.replace(/-2-/, '-3-');

/** All evidence lies in one partition. */
function opened(topics = ledgerTopics(partitionsOf(1))): PartsInMemory {
  return new PartsInMemory(topics, { partitions: partitionsOf(1) });
}

async function stored({ reading }: PartsInMemory, stream = evidenceStream): Promise<StoredEvent[]> {
  return await collect(reading.read(stream, {}, onAndOn));
}

async function original(): Promise<{ one: readonly StoredEvent[]; other: readonly StoredEvent[] }> {
  const parts = opened();
  await parts.writing.append(evidenceStream, someRollouts(0, 6), any, onAndOn);
  const others = [0, 1].map((index) => rolloutIn(otherStream, index));
  await parts.writing.append(otherStream, others, any, onAndOn);
  return { one: await stored(parts), other: await stored(parts, otherStream) };
}

describe('events of another ledger', () => {
  it('are looked for again when it was not told whether they are stored', async () => {
    const { one } = await original();
    const parts = opened();
    await parts.replicating.replicate(one.slice(0, 2), onAndOn);
    const produce = parts.transport.produce.bind(parts.transport);
    parts.transport.produce = async (topic, partition, records) => {
      parts.transport.produce = produce;
      await produce(topic, partition, records);
      throw new OutcomeUnknown(topic, partition, 'lost');
    };
    await expect(parts.replicating.replicate(one.slice(2, 4), onAndOn)).rejects.toMatchObject({
      name: 'OutcomeUnknown',
    });
    await parts.writing.append(evidenceStream, [rollout(9)], any, onAndOn);
    expect((await stored(parts)).map(({ id }) => id)).toEqual([0, 1, 2, 3, 9].map((index) => rollout(index).id));
  });

  it('are looked for at ends that are asked for once, however many streams they are of', async () => {
    const { one, other } = await original();
    const parts = opened();
    const ends = parts.transport.ends.bind(parts.transport);
    const asked: string[] = [];
    parts.transport.ends = (topic) => {
      asked.push(topic);
      return ends(topic);
    };
    await parts.replicating.replicate([...one, ...other], onAndOn);
    expect(await parts.replicating.replicate([...other, ...one], onAndOn)).toMatchObject({ existed: 8 });
    expect(asked).toEqual(['lab.evidence', 'lab.evidence']);
  });

  it('are stored beside a stream that somebody else begins meanwhile, in one batch with it', async () => {
    const { one, other } = await original();
    const topics = ledgerTopics(partitionsOf(1));
    const [parts, another] = [opened(topics), opened(topics)];
    await parts.replicating.replicate(one.slice(0, 2), onAndOn);
    parts.transport.during('produce', () => another.replicating.replicate(other.slice(0, 1), onAndOn));
    expect(await parts.replicating.replicate([...one.slice(2), ...other], onAndOn)).toMatchObject({ existed: 5 });
    expect(await stored(parts)).toEqual(await stored(another));
    expect((await stored(parts)).map(({ digest }) => digest)).toEqual(one.map(({ digest }) => digest));
    expect((await stored(parts, otherStream)).map(({ digest }) => digest)).toEqual(other.map(({ digest }) => digest));
  });
});

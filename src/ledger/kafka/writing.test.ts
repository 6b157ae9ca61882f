// Writers that meet: what each of them is told must be what is stored, and in the order in which it was handed in.
import { describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, rollout, rolloutIn, someRollouts } from '../contract/samples.ts';
import { ledgerTopics, onAndOn, PartsInMemory } from './testing/parts-in-memory.ts';
import { partitionsOf } from './topics.ts';
import { OutcomeUnknown } from './transport/errors.ts';

const any = { expect: 'any' } as const;

async function idsIn({ reading }: PartsInMemory, stream: string): Promise<string[]> {
  return (await collect(reading.read(stream, {}, onAndOn))).map(({ id }) => id);
}

/** Two opened ledgers; the first has written one event of evidence. */
async function two(): Promise<{ first: PartsInMemory; second: PartsInMemory }> {
  const topics = ledgerTopics();
  const [first, second] = [new PartsInMemory(topics), new PartsInMemory(topics)];
  await first.writing.append(evidenceStream, [rollout(0)], any, onAndOn);
  return { first, second };
}

describe('a writer who takes a stream over', () => {
  it('has its events in the order it gave them, also where another came in between', async () => {
    const { first, second } = await two();
    second.transport.during('produce', () => first.writing.append(evidenceStream, [rollout(9)], any, onAndOn));
    const { revision, existed } = await second.writing.append(evidenceStream, someRollouts(20, 3), any, onAndOn);
    expect({ revision, existed }).toEqual({ revision: 4, existed: [false, false, false] });
    expect(await idsIn(first, evidenceStream)).toEqual([0, 9, 20, 21, 22].map((index) => rollout(index).id));
  });

  it('is refused as a whole where it expected another end', async () => {
    const { first, second } = await two();
    second.transport.during('produce', () => first.writing.append(evidenceStream, [rollout(9)], any, onAndOn));
    const refused = second.writing.append(evidenceStream, someRollouts(20, 3), { expect: 0 }, onAndOn);
    await expect(refused).rejects.toMatchObject({ name: 'WrongRevision' });
    expect(await idsIn(first, evidenceStream)).toEqual([0, 9].map((index) => rollout(index).id));
  });
});

describe('a writer whose stream was taken over', () => {
  const taken = { name: 'TakenOver', kind: 'conflict', facts: { stream: evidenceStream, revision: 1 } };

  it('is told with its next append, of which nothing counts', async () => {
    const { first, second } = await two();
    await second.writing.append(evidenceStream, someRollouts(1, 2), any, onAndOn);
    await expect(first.writing.append(evidenceStream, someRollouts(5, 3), any, onAndOn)).rejects.toMatchObject(taken);
    await second.writing.append(evidenceStream, [rollout(3)], any, onAndOn);
    expect(await idsIn(first, evidenceStream)).toEqual([0, 1, 2, 3].map((index) => rollout(index).id));
  });

  it('is told also where it has to look for what it sends', async () => {
    const { first, second } = await two();
    await second.writing.append(evidenceStream, [rollout(1)], any, onAndOn);
    const again = first.writing.append(evidenceStream, [rollout(0), rollout(2)], any, onAndOn);
    await expect(again).rejects.toMatchObject({ ...taken, facts: { stream: evidenceStream, revision: 2 } });
  });

  it('takes it back by trying again, or by knowing its end', async () => {
    const { first, second } = await two();
    await second.writing.append(evidenceStream, [rollout(1)], any, onAndOn);
    expect(await first.writing.append(evidenceStream, [rollout(2)], { expect: 1 }, onAndOn)).toMatchObject({
      revision: 2,
    });
    await expect(second.writing.append(evidenceStream, [rollout(3)], any, onAndOn)).rejects.toMatchObject({
      name: 'TakenOver',
    });
    await second.writing.append(evidenceStream, [rollout(3)], any, onAndOn);
    expect(await idsIn(first, evidenceStream)).toEqual([0, 1, 2, 3].map((index) => rollout(index).id));
  });

  it('is told also after an append whose outcome is not known, and takes it back only then', async () => {
    const { first, second } = await two();
    await second.writing.append(evidenceStream, [rollout(1)], any, onAndOn);
    const { over } = losing(first);
    const unheard = first.writing.append(evidenceStream, [rollout(2)], any, onAndOn);
    await expect(unheard).rejects.toMatchObject({ name: 'TakenOver' });
    over();
    await first.writing.append(evidenceStream, [rollout(2)], any, onAndOn);
    expect(await idsIn(first, evidenceStream)).toEqual([0, 1, 2].map((index) => rollout(index).id));
  });

  it('is told also where it went on with other streams meanwhile, and stopped in between', async () => {
    const { first, second } = await two();
    const stop = new AbortController();
    first.transport.during('produce', async () => stop.abort(new Error('stopped')));
    const options = { ...any, signal: stop.signal };
    await expect(first.writing.append(evidenceStream, [rollout(1)], options, stop.signal)).rejects.toThrow('stopped');
    await second.writing.append(evidenceStream, [rollout(2)], any, onAndOn);
    await first.writing.append(notesStream, [note(0)], any, onAndOn);
    const late = first.writing.append(evidenceStream, [rollout(3)], any, onAndOn);
    await expect(late).rejects.toMatchObject({ name: 'TakenOver' });
  });

  it('is not told so where only an answer of its own was lost', async () => {
    const { first } = await two();
    const { over, arriveAtLast } = losing(first);
    const lost = first.writing.append(evidenceStream, [rollout(1)], any, onAndOn);
    await expect(lost).rejects.toMatchObject({ name: 'OutcomeUnknown' });
    over();
    await arriveAtLast();
    await first.writing.append(evidenceStream, [rollout(2)], any, onAndOn);
    expect(await idsIn(first, evidenceStream)).toEqual([0, 1, 2].map((index) => rollout(index).id));
  });

  it('and has nothing that is not there is told that all is', async () => {
    const { first, second } = await two();
    await second.writing.append(evidenceStream, [rollout(1)], any, onAndOn);
    expect(await first.writing.append(evidenceStream, [rollout(0)], any, onAndOn)).toMatchObject({ existed: [true] });
  });

  it('looks only where others write to the same partition', async () => {
    const { first } = await two();
    let looks = 0;
    first.transport.during('fetch', async () => looks++);
    for (let index = 1; index < 4; index++) await first.writing.append(evidenceStream, [rollout(index)], any, onAndOn);
    expect(looks).toBe(0);
  });
});

describe('a writer among others in one partition', () => {
  const partitions = partitionsOf(1);
  const otherStream = evidenceStream.replace(/-2-/, '-3-');

  it('takes nothing of theirs into its index, and has all that it was told', async () => {
    const topics = ledgerTopics(partitions);
    const [first, second] = [new PartsInMemory(topics, { partitions }), new PartsInMemory(topics, { partitions })];
    const lane = first.lanes.ofStream(evidenceStream)?.number ?? 0;
    await first.writing.append(evidenceStream, [rollout(0)], any, onAndOn);
    for (let index = 0; index < 3; index++) {
      await second.writing.append(otherStream, [rolloutIn(otherStream, index)], any, onAndOn);
      await first.writing.append(evidenceStream, [rollout(1 + index)], any, onAndOn);
    }
    expect(first.index.lane(lane).next).toBe(1);
    expect(await idsIn(first, evidenceStream)).toEqual([0, 1, 2, 3].map((index) => rollout(index).id));
  });

  it('is told that its stream was taken over between two batches of one append', async () => {
    const topics = ledgerTopics(partitions);
    const [first, second] = [new PartsInMemory(topics, { partitions }), new PartsInMemory(topics, { partitions })];
    await first.writing.append(evidenceStream, [rollout(0)], any, onAndOn);
    const produce = first.transport.produce.bind(first.transport);
    first.transport.produce = async (...sent) => {
      first.transport.produce = produce;
      const offset = await produce(...sent);
      await second.writing.append(evidenceStream, [rollout(9_999)], any, onAndOn);
      return offset;
    };
    const large = someRollouts(1, 4_500);
    await expect(first.writing.append(evidenceStream, large, any, onAndOn)).rejects.toMatchObject({
      name: 'TakenOver',
    });
    expect((await idsIn(first, evidenceStream)).at(-1)).toBe(rollout(9_999).id);
  });
});

interface Losing {
  readonly over: () => void;
  /** The first of what was sent meanwhile. */
  readonly arriveAtLast: () => Promise<unknown>;
}

/** What is sent from now on does not arrive. */
function losing({ transport }: PartsInMemory): Losing {
  const produce = transport.produce.bind(transport);
  let arrive: (() => Promise<unknown>) | null = null;
  transport.produce = async (topic, partition, records) => {
    arrive ??= () => produce(topic, partition, records);
    throw new OutcomeUnknown(topic, partition, 'lost');
  };
  return {
    over: () => {
      transport.produce = produce;
    },
    arriveAtLast: async () => await arrive?.(),
  };
}

describe('an append that is stopped', () => {
  it('does not wait for brokers that are away, and what arrives all the same is there once', async () => {
    const parts = new PartsInMemory(ledgerTopics());
    const produce = parts.transport.produce.bind(parts.transport);
    const sent = Promise.withResolvers<void>();
    const back = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    parts.transport.produce = async (topic, partition, records) => {
      sent.resolve();
      await back.promise;
      const first = await produce(topic, partition, records);
      arrived.resolve();
      return first;
    };
    const stopping = new AbortController();
    const options = { ...any, signal: stopping.signal };
    const stopped = parts.writing.append(evidenceStream, someRollouts(0, 3), options, stopping.signal);
    await sent.promise;
    stopping.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
    back.resolve();
    await arrived.promise;
    const { existed } = await parts.writing.append(evidenceStream, someRollouts(0, 4), any, onAndOn);
    expect(existed).toEqual([true, true, true, false]);
    expect(await idsIn(parts, evidenceStream)).toEqual([0, 1, 2, 3].map((index) => rollout(index).id));
  });
});

describe('what was sent without an answer', () => {
  it.each([
    ['evidence', evidenceStream, rollout, 0],
    ['evidence that is there', evidenceStream, rollout, 1],
    ['notes', notesStream, note, 0],
    ['notes that are there', notesStream, note, 1],
  ])('does not count when it arrives after what was sent later: %s', async (_, stream, event, there) => {
    const parts = new PartsInMemory(ledgerTopics());
    for (let index = 20; index < 20 + there; index++) await parts.writing.append(stream, [event(index)], any, onAndOn);
    const { over, arriveAtLast } = losing(parts);
    const lost = parts.writing.append(stream, [event(1), event(2), event(3)], any, onAndOn);
    await expect(lost).rejects.toMatchObject({ name: 'OutcomeUnknown' });
    over();
    await parts.writing.append(stream, [event(30)], any, onAndOn);
    await arriveAtLast();
    await parts.writing.append(stream, [event(31)], any, onAndOn);
    expect(await idsIn(parts, stream)).toEqual([20, 30, 31].slice(1 - there).map((index) => event(index).id));
  });

  it('is there once when it arrived before it was sent again', async () => {
    const parts = new PartsInMemory(ledgerTopics());
    const produce = parts.transport.produce.bind(parts.transport);
    parts.transport.produce = async (topic, partition, records) => {
      parts.transport.produce = produce;
      await produce(topic, partition, records);
      throw new OutcomeUnknown(topic, partition, 'lost');
    };
    const { existed } = await parts.writing.append(evidenceStream, someRollouts(0, 3), any, onAndOn);
    expect(existed).toEqual([true, true, true]);
    expect(await idsIn(parts, evidenceStream)).toHaveLength(3);
  });
});

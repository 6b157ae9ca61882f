// What is no event is copied once, whoever came upon it first and whatever became of them.
import { describe, expect, it } from 'vitest';
import { note, notesStream } from '../contract/samples.ts';
import type { TopicsInMemory } from './testing/log-in-memory.ts';
import { ledgerTopics, onAndOn, PartsInMemory } from './testing/parts-in-memory.ts';
import { KafkaRefused } from './transport/errors.ts';
import type { FoundRecord, OutgoingRecord } from './transport/transport.ts';

const any = { expect: 'any' } as const;
const nonsense: OutgoingRecord = { key: notesStream, value: 'hello', headers: { from: 'me' }, timestamp: -5 };

/** One note, and behind it so much that is none. */
async function withNonsense(count = 1): Promise<TopicsInMemory> {
  const topics = ledgerTopics();
  const { writing, transport } = new PartsInMemory(topics, { readOnly: true });
  await writing.append(notesStream, [note(0)], any, onAndOn);
  for (let index = 0; index < count; index++) await transport.produce('lab.notes', 0, [nonsense]);
  return topics;
}

function copiesIn(topics: TopicsInMemory): readonly FoundRecord[] {
  return topics.partition('lab.rejected', 0).from(0, Number.POSITIVE_INFINITY).records;
}

function originsOf(copies: readonly FoundRecord[]): string[] {
  return copies.map(({ headers }) => `${headers.ascii('icecore_topic')}@${headers.ascii('icecore_offset')}`);
}

describe('a record that is no event', () => {
  it('is copied with what it was, where it lies and why it is none', async () => {
    const topics = await withNonsense();
    const { survey } = new PartsInMemory(topics);
    await survey.head(onAndOn);
    const [copy, ...more] = copiesIn(topics);
    expect(more).toEqual([]);
    expect(String(copy?.value)).toBe('hello');
    expect(Object.fromEntries([...(copy?.headers ?? [])].map(([name, text]) => [name, String(text)]))).toEqual({
      from: 'me',
      icecore_topic: 'lab.notes',
      icecore_partition: '0',
      icecore_offset: '1',
      icecore_timestamp: '-5',
      icecore_reason: 'its timestamp is no time',
    });
  });

  it('is copied once, by however many', async () => {
    const topics = await withNonsense(3);
    for (const _ of [1, 2, 3]) await new PartsInMemory(topics).survey.head(onAndOn);
    expect(originsOf(copiesIn(topics))).toEqual(['lab.notes@1', 'lab.notes@2', 'lab.notes@3']);
  });

  it('is copied also where the index knows it from somebody who may not write', async () => {
    const topics = await withNonsense();
    const { index, survey } = new PartsInMemory(topics, { readOnly: true });
    await survey.head(onAndOn);
    expect(copiesIn(topics)).toEqual([]);
    await new PartsInMemory(topics, { index }).rejecting?.copyAll();
    expect(originsOf(copiesIn(topics))).toEqual(['lab.notes@1']);
    expect(index.lanesToCopy()).toEqual([]);
  });

  it('is copied another time where it could not be, and nobody who reads is kept from it', async () => {
    const topics = await withNonsense();
    const { index, survey, transport, rejecting } = new PartsInMemory(topics);
    const produce = transport.produce.bind(transport);
    transport.produce = async () => {
      throw new KafkaRefused('not yours');
    };
    expect(await survey.head(onAndOn)).toMatchObject({ events: 1 });
    transport.produce = produce;
    await rejecting?.copyAll();
    expect(originsOf(copiesIn(topics))).toEqual(['lab.notes@1']);
    expect(index.countRejected()).toBe(1);
  });

  it('is copied also where it counts, and holds no event', async () => {
    const topics = ledgerTopics();
    const parts = new PartsInMemory(topics);
    const produce = parts.transport.produce.bind(parts.transport);
    parts.transport.produce = (topic, partition, records) => {
      parts.transport.produce = produce;
      return produce(
        topic,
        partition,
        records.map((record) => ({ ...record, value: 'lost' })),
      );
    };
    await parts.writing.append(notesStream, [note(0)], any, onAndOn);
    expect(parts.index.stream(notesStream)).toMatchObject({ next: 1 });
    expect(copiesIn(topics).map(({ value }) => String(value))).toEqual(['lost']);
  });
});

describe('a batch that nobody can read', () => {
  const why = 'its batch is compressed with lz4';

  it('keeps nobody from what lies behind it, and is told of', async () => {
    const topics = ledgerTopics();
    const parts = new PartsInMemory(topics);
    await parts.writing.append(notesStream, [note(0)], any, onAndOn);
    topics.partition('lab.notes', 0).skip(2);
    topics.partition('lab.notes', 0).addUnreadable(5, why);
    await parts.writing.append(notesStream, [note(1)], any, onAndOn);
    expect(await parts.survey.head(onAndOn)).toMatchObject({ events: 2 });
    const lane = parts.lanes.ofStream(notesStream)?.number ?? 0;
    const refused = parts.index.refused(lane, -1).map(({ first, count, because }) => ({ first, count, because }));
    expect(refused).toEqual([
      { first: 1, count: 2, because: null },
      { first: 3, count: 5, because: why },
    ]);
    expect(originsOf(copiesIn(topics))).toEqual(['lab.notes@3']);
    expect(parts.index.countRejected()).toBe(5);
  });

  it('is no place for an append: whoever sent it is told, and does not try for ever', async () => {
    const topics = ledgerTopics();
    const parts = new PartsInMemory(topics);
    parts.transport.produce = async (topic, partition, records) => {
      const stored = topics.partition(topic, partition);
      stored.addUnreadable(records.length, why);
      return stored.end - records.length;
    };
    const unreadable = { name: 'SentUnreadable', facts: { offset: 0, why } };
    await expect(parts.writing.append(notesStream, [note(0)], any, onAndOn)).rejects.toMatchObject(unreadable);
  });
});

import { describe, expect, it } from 'vitest';
import { note, notesStream } from '../contract/samples.ts';
import type { Lane } from './lanes.ts';
import type { PartitionInMemory } from './testing/partition-in-memory.ts';
import { ledgerTopics, onAndOn, PartsInMemory } from './testing/parts-in-memory.ts';

const any = { expect: 'any' } as const;

function laneOf({ lanes }: PartsInMemory, stream: string): Lane {
  return lanes.ofStream(stream) as Lane;
}

interface Begun {
  readonly parts: PartsInMemory;
  readonly lane: Lane;
  readonly stored: PartitionInMemory;
}

/** One note is there, and was read. */
async function begun({ patienceMs = 30_000 } = {}): Promise<Begun> {
  const topics = ledgerTopics();
  const parts = new PartsInMemory(topics, { patienceMs });
  const lane = laneOf(parts, notesStream);
  await parts.writing.append(notesStream, [note(0)], any, onAndOn);
  await parts.survey.head(onAndOn);
  return { parts, lane, stored: topics.partition(lane.topic, lane.partition) };
}

describe('what must be there and does not come', () => {
  const patienceMs = 150;

  it('is waited for while a transaction of somebody else holds it back', async () => {
    const { parts, lane, stored } = await begun();
    stored.leaveUndecided();
    parts.transport.during('fetch', async () => parts.transport.during('fetch', async () => stored.decide()));
    await parts.writing.append(notesStream, [note(1)], any, onAndOn);
    expect(parts.index.lane(lane.number)).toMatchObject({ next: 2, events: 2 });
  });

  it('is waited for no longer than there is patience, and by no reader for ever', async () => {
    const { parts, lane, stored } = await begun({ patienceMs });
    stored.leaveUndecided();
    const undecided = { name: 'Undecided', kind: 'unavailable', facts: { topic: lane.topic, partition: 0, from: 1 } };
    await expect(parts.writing.append(notesStream, [note(1)], any, onAndOn)).rejects.toMatchObject(undecided);
    await expect(parts.log.page(lane, 1, 2)).rejects.toMatchObject(undecided);
  });

  it('is given up with who asked for it', async () => {
    const { parts, stored } = await begun();
    stored.leaveUndecided();
    const stop = new AbortController();
    parts.transport.during('fetch', async () => stop.abort(new Error('closed')));
    await expect(parts.writing.append(notesStream, [note(1)], any, stop.signal)).rejects.toThrow('closed');
  });

  it('is history that is gone where the log ends before it', async () => {
    const { parts, lane } = await begun({ patienceMs });
    const gone = { name: 'HistoryShrank', kind: 'damaged', facts: { end: 1, known: 2 } };
    await expect(parts.log.takeIn(lane, 2)).rejects.toMatchObject(gone);
    await expect(parts.log.page(lane, 1, 2)).rejects.toMatchObject(gone);
  });
});

describe('the ends of lanes', () => {
  it('are what they were when they were asked for, whatever others store and take in meanwhile', async () => {
    const topics = ledgerTopics();
    const parts = new PartsInMemory(topics);
    const other = new PartsInMemory(topics, { index: parts.index });
    const lane = laneOf(parts, notesStream);
    await other.writing.append(notesStream, [note(0)], any, onAndOn);
    parts.transport.during('ends', () => other.writing.append(notesStream, [note(1)], any, onAndOn));
    expect((await parts.log.ends([lane]))[lane.number]).toBe(1);
    expect((await parts.log.ends([lane]))[lane.number]).toBe(2);
  });

  it('tell that history is gone, at its beginning or at its end', async () => {
    const topics = ledgerTopics();
    const parts = new PartsInMemory(topics);
    const lane = laneOf(parts, notesStream);
    await parts.writing.append(notesStream, [note(0), note(1)], any, onAndOn);
    await parts.writing.append(notesStream, [note(2)], any, onAndOn);
    topics.partition(lane.topic, lane.partition).loseFrom(2);
    await expect(parts.log.ends([lane])).rejects.toMatchObject({
      name: 'HistoryShrank',
      facts: { end: 2, known: 3 },
    });
    const fresh = new PartsInMemory(topics);
    expect((await fresh.log.ends([lane]))[lane.number]).toBe(2);
    topics.partition(lane.topic, lane.partition).removeBefore(1);
    await expect(fresh.log.ends([lane])).rejects.toMatchObject({ name: 'HistoryShrank', facts: { start: 1 } });
  });
});

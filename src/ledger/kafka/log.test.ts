import { describe, expect, it } from 'vitest';
import { note, notesStream } from '../contract/samples.ts';
import type { Lane } from './lanes.ts';
import { ledgerTopics, onAndOn, PartsInMemory } from './testing/parts-in-memory.ts';

const any = { expect: 'any' } as const;

function laneOf({ lanes }: PartsInMemory, stream: string): Lane {
  return lanes.ofStream(stream) as Lane;
}

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

import { describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, rollout } from '../contract/samples.ts';
import type { Cursor } from '../cursor.ts';
import { ledgerTopics, onAndOn, PartsInMemory } from './testing/parts-in-memory.ts';

const any = { expect: 'any' } as const;

/** An event of each of two streams, in two lanes, and what tells where the second lies. */
async function opened(): Promise<{ parts: PartsInMemory; other: PartsInMemory; place: Cursor }> {
  const topics = ledgerTopics();
  const parts = new PartsInMemory(topics);
  const other = new PartsInMemory(topics, { index: parts.index });
  await parts.writing.append(notesStream, [note(0)], any, onAndOn);
  await parts.writing.append(evidenceStream, [rollout(0)], any, onAndOn);
  const [event] = await collect(parts.reading.read(evidenceStream, {}, onAndOn));
  return { parts, other, place: event?.cursor ?? '' };
}

describe('a cursor that says where one event lies', () => {
  it('goes no further than the lanes did, where the index has gone on meanwhile', async () => {
    const { parts, other, place } = await opened();
    parts.transport.during('ends', () => other.writing.append(notesStream, [note(1)], any, onAndOn));
    const found = (await collect(parts.feeds.ofAll({ until: place }, onAndOn))).map(({ id }) => id);
    expect(found).toContain(rollout(0).id);
    expect(found).not.toContain(note(1).id);
    parts.transport.during('ends', () => other.writing.append(notesStream, [note(2)], any, onAndOn));
    const ranges = await parts.survey.ranges(10, { until: place }, onAndOn);
    expect(ranges.reduce((events, range) => events + range.events, 0)).toBeLessThan(4);
  });

  it('is refused where no event can be yet', async () => {
    const { parts, place } = await opened();
    const later = place.replace(/1$/, '2');
    const refusal = { name: 'BadCursor', message: expect.stringMatching(/ends at 1, it says 2/) };
    await expect(collect(parts.feeds.ofAll({ after: later }, onAndOn))).rejects.toMatchObject(refusal);
  });
});

describe('a cursor', () => {
  it.each([
    '',
    '1',
    'ledger',
    'ledger@',
    'ledger@x y',
    'ledger@1.2',
    'ledger@0.0.0.0.0.0.0.0',
    'ledger@0.0.0.0.0.0.0~7',
    'ledger@7:1',
    'ledger@0:0',
    'ledger@-1:1',
    'ledger@0.0.0.0.0.0.zzzzzzzzzzzz',
    'another@0.0.0.0.0.0.0',
  ])('that this ledger never gave is refused: "%s"', async (cursor) => {
    const { parts } = await opened();
    const refusal = { name: 'BadCursor', kind: 'bad-input' };
    expect(() => parts.cursors.compare(cursor, cursor)).toThrow(expect.objectContaining(refusal));
    for (const options of [{ after: cursor }, { until: cursor }, { after: cursor, backwards: true }])
      await expect(collect(parts.feeds.ofAll(options, onAndOn))).rejects.toMatchObject(refusal);
  });

  it('is before another where no lane was read further, and concurrent where one was and one was not', async () => {
    const { cursors, lanes } = (await opened()).parts;
    const at = (...offsets: readonly number[]): Cursor => {
      return cursors.everywhere(lanes.all.map(({ number }) => offsets[number] ?? 0));
    };
    expect(cursors.compare(at(1, 2), at(1, 2))).toBe('equal');
    expect(cursors.compare(at(1, 2), at(1, 37))).toBe('before');
    expect(cursors.compare(at(40, 2), at(1, 2))).toBe('after');
    expect(cursors.compare(at(1, 3), at(2, 2))).toBe('concurrent');
    expect(cursors.compare(cursors.place(1, 2), at(9, 3))).toBe('equal');
    expect(cursors.compare(cursors.place(1, 2), at(0, 4))).toBe('before');
  });
});

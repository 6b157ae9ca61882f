import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadPosition } from '../remote/errors.ts';
import { compareOffsets, offsetsOf } from './log.ts';
import { isWithin, SeenStreams, spanOf } from './streams.ts';

describe('the ranges for attempts', () => {
  it('are exact within an attempt of adjacent records, and otherwise those of the whole attempt', () => {
    const place = { partition: 1, from: 40, to: 49 };
    expect(spanOf({ from: 2, to: 5 }, { count: 10, place })).toEqual({ partition: 1, from: 42, until: 46 });
    expect(spanOf({ from: 2, to: 5 }, { count: 9, place })).toEqual({ partition: 1, from: 40, until: 50 });
  });

  it('omit places that the topic cannot contain', () => {
    const marks = [{ low: 5, high: 10 }];
    expect(isWithin({ partition: 0, from: 5, until: 10 }, marks)).toBe(true);
    expect(isWithin({ partition: 0, from: 4, until: 10 }, marks)).toBe(false);
    expect(isWithin({ partition: 0, from: 5, until: 11 }, marks)).toBe(false);
    expect(isWithin({ partition: 1, from: 5, until: 10 }, marks)).toBe(false);
  });
});

describe('the records that count', () => {
  /** A writer's records, some of them repeated or out of order. */
  const records = fc.array(fc.record({ stream: fc.constantFrom('a', 'b'), revision: fc.nat({ max: 6 }) }), {
    maxLength: 40,
  });

  /** The rule in its plainest form. */
  function counted(all: readonly { stream: string; revision: number }[], stream: string): number[] {
    const offsets: number[] = [];
    for (const [index, record] of all.entries()) {
      if (record.stream === stream && record.revision === offsets.length) offsets.push(index);
    }
    return offsets;
  }

  it('are the first of each revision, up to the first missing one', () => {
    fc.assert(
      fc.property(records, (all) => {
        const streams = new SeenStreams();
        const found = all.map((record, index) => {
          return streams.add(record, 2, index);
        });
        for (const stream of ['a', 'b']) {
          const offsets = counted(all, stream);
          const [first, last] = [offsets[0], offsets.at(-1)];
          expect(
            all.flatMap((record, index) => (record.stream === stream && found[index] === 'counts' ? [index] : [])),
          ).toEqual(offsets);
          const known = { place: { partition: 2, from: first, to: last }, count: offsets.length };
          expect(streams.get(stream)).toEqual(first === undefined ? null : known);
        }
      }),
    );
  });

  it('start at any revision for a reader that begins in the middle', () => {
    const streams = new SeenStreams({ fromBeginning: false });
    const standings = [5, 6, 6, 5, 8, 7].map((revision) => streams.add({ stream: 'a', revision }, 0, revision));
    expect(standings).toEqual(['counts', 'counts', 'repeated', 'repeated', 'after a gap', 'counts']);
  });

  it('exclude those after a missing one, which are counted separately', () => {
    const streams = new SeenStreams();
    for (const revision of [0, 3, 4, 5, 8]) streams.add({ stream: 'a', revision }, 0, revision);
    const count = (from: number, to: number): number => streams.countStranded({ stream: 'a', from, to });
    expect([count(1, 8), count(4, 7), count(6, 7)]).toEqual([4, 2, 0]);
    expect(streams.countStranded({ stream: 'b', from: 0, to: 8 })).toBe(0);
  });
});

describe('positions', () => {
  const offsets = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 4 });

  it('are converted from offsets and back; other text is refused', () => {
    fc.assert(fc.property(offsets, (all) => void expect(offsetsOf(all.join('.'))).toEqual(all)));
    for (const text of ['', '.', '1.', '01', '-1', '1,2', 'x']) expect(() => offsetsOf(text)).toThrow(BadPosition);
  });

  it('are ordered unless partitions disagree; added partitions count from their beginning', () => {
    fc.assert(
      fc.property(offsets, offsets, (a, b) => {
        const all = [0, 1, 2, 3].map((partition) => Math.sign((a[partition] ?? 0) - (b[partition] ?? 0)));
        const expected = all.includes(-1)
          ? all.includes(1)
            ? 'concurrent'
            : 'before'
          : all.includes(1)
            ? 'after'
            : 'equal';
        expect(compareOffsets(a, b)).toBe(expected);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EvidencePlace } from '../ledger.ts';
import { BadPosition } from '../remote/errors.ts';
import { isWithin, placeOfRange, roundsOf } from './attempts.ts';
import { compareOffsets, offsetsOf } from './log.ts';
import { SeenStreams } from './streams.ts';

const offset = fc.nat({ max: 200 });
const place: fc.Arbitrary<EvidencePlace> = fc
  .record({ partition: fc.nat({ max: 3 }), from: offset, length: fc.integer({ min: 1, max: 20 }) })
  .map(({ partition, from, length }) => ({ partition, from, to: from + length - 1 }));

describe('the ranges for attempts', () => {
  it('contain all their places, are disjoint, and contain only small gaps in addition', () => {
    fc.assert(
      fc.property(fc.array(place), fc.nat({ max: 30 }), (places, gap) => {
        const rounds = roundsOf(places, gap);
        const spans = rounds.flat();
        for (const round of rounds) {
          expect(new Set(round.map(({ partition }) => partition)).size).toBe(round.length);
        }
        for (const { partition, from, to } of places) {
          const holding = spans.filter((span) => {
            return span.partition === partition && span.from <= from && to < (span.until ?? 0);
          });
          expect(holding).toHaveLength(1);
        }
        for (const one of spans) {
          for (const other of spans.filter(({ partition }) => partition === one.partition)) {
            if (other !== one)
              expect(other.from > (one.until ?? 0) + gap || one.from > (other.until ?? 0) + gap).toBe(true);
          }
          const inside = places.filter(({ partition, from }) => {
            return partition === one.partition && from >= one.from && from < (one.until ?? 0);
          });
          expect(Math.min(...inside.map(({ from }) => from))).toBe(one.from);
          expect(Math.max(...inside.map(({ to }) => to)) + 1).toBe(one.until);
          let reached = one.from;
          for (const { from, to } of inside.sort((a, b) => a.from - b.from)) {
            expect(from - reached).toBeLessThanOrEqual(gap);
            reached = Math.max(reached, to + 1);
          }
        }
      }),
    );
  });

  it('are exact within an attempt of adjacent records, and otherwise those of the whole attempt', () => {
    const place = { partition: 1, from: 40, to: 49 };
    expect(placeOfRange({ from: 2, to: 5 }, { count: 10, place })).toEqual({ partition: 1, from: 42, to: 45 });
    expect(placeOfRange({ from: 2, to: 5 }, { count: 9, place })).toEqual(place);
  });

  it('omit places that the topic cannot contain', () => {
    const marks = [{ low: 5, high: 10 }];
    expect(isWithin({ partition: 0, from: 5, to: 9 }, marks)).toBe(true);
    expect(isWithin({ partition: 0, from: 4, to: 9 }, marks)).toBe(false);
    expect(isWithin({ partition: 0, from: 5, to: 10 }, marks)).toBe(false);
    expect(isWithin({ partition: 1, from: 5, to: 9 }, marks)).toBe(false);
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

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MergeHeap } from './merge-heap.ts';

describe('a heap of ordered sources', () => {
  it('merges ordered rows into one order', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(50), { minLength: 1 })), (lists) => {
        const rows = lists.map((list) => list.toSorted((a, b) => b - a));
        const nearest = new MergeHeap(rows, (a, b) => (a.at(-1) ?? 0) < (b.at(-1) ?? 0));
        const taken: number[] = [];
        for (let row = nearest.first; row !== undefined; row = nearest.first) {
          taken.push(row.pop() ?? -1);
          if (row.length > 0) nearest.moved();
          else nearest.removeFirst();
        }
        expect(taken).toEqual(lists.flat().toSorted((a, b) => a - b));
      }),
    );
  });
});

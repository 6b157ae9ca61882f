import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Sample } from './failures.ts';

const things = fc.uniqueArray(
  fc.record({ lot: fc.string({ minLength: 1 }), kind: fc.constantFrom('a', 'b', 'c', 'd') }),
  {
    selector: ({ lot }) => lot,
  },
);

function drawnOf(most: number, all: readonly { lot: string; kind: string }[]) {
  const lots = new Sample<{ lot: string; kind: string }>(most);
  for (const thing of all) lots.add(thing, thing.lot, thing.kind);
  return lots.items();
}

it('a sample does not depend on the order of items', () => {
  fc.assert(
    fc.property(
      things.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
      fc.integer({ min: 1, max: 5 }),
      ([all, shuffled], most) => {
        expect(drawnOf(most, shuffled)).toEqual(drawnOf(most, all));
      },
    ),
  );
});

it('a sample has the maximum size, and as many kinds as possible', () => {
  fc.assert(
    fc.property(things, fc.integer({ min: 1, max: 5 }), (all, most) => {
      const drawn = drawnOf(most, all);
      const kinds = (of: readonly { kind: string }[]): number => new Set(of.map(({ kind }) => kind)).size;
      expect(drawn).toHaveLength(Math.min(most, all.length));
      expect(new Set(drawn).size).toBe(drawn.length);
      expect(kinds(drawn)).toBe(Math.min(most, kinds(all)));
    }),
  );
});

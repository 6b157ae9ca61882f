import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import type { Split } from '../../../src/lab/environments/environment.ts';
import { Random } from '../../../src/lab/random.ts';
import { shuffle } from '../testing/random-lakes.ts';
import { type BatchOptions, Filling, fill, type LakeShortage } from './generate.ts';
import { type Made, Maker } from './maker.ts';
import { type Kind, type Order, type Slot, slotsOf } from './orders.ts';
import { collected } from './testing/collected.ts';

interface Filled {
  readonly slots: readonly (Made | null)[];
  readonly shortages: readonly LakeShortage[];
}

/** `first` by slot: the instance made ahead for it; undefined if none was. */
function filled(orders: readonly Order[], wanted: BatchOptions, first: ReadonlyMap<number, Made | null>): Filled {
  const filling = new Filling(wanted);
  const slots = [...slotsOf(orders)].map((slot, place) => filling.take(slot, first.get(place)));
  return { slots, shortages: filling.shortages() };
}

/** Makes some of the slots ahead, skips one in four, in random order, with two makers. */
function madeAhead(orders: readonly Order[], { seed, split }: BatchOptions, luck: string): Map<number, Made | null> {
  const random = new Random(luck);
  const places: (readonly [number, Slot])[] = [...[...slotsOf(orders)].entries()];
  shuffle(random, places);
  const makers = [new Maker(seed, split), new Maker(seed, split)] as const;
  const made = new Map<number, Made | null>();
  for (const [place, slot] of places) {
    if (random.below(4) > 0) made.set(place, makers[random.below(2) as 0 | 1].make(slot));
  }
  return made;
}

const kindOf = (size: number, holes: number, needsWait: boolean): Kind => ({ size, agents: 2, holes, needsWait });

/** Kinds that are frequent, occur dozens of times in a split, are rare, and do not exist. */
const many = kindOf(4, 4, true);
const some = kindOf(3, 5, false);
const few = kindOf(3, 6, false);
const none = kindOf(3, 6, true);
const noRoom = kindOf(3, 8, false);

/** Filled both ways. */
function expectSame(orders: readonly Order[], wanted: BatchOptions, luck: string): Filled {
  const oneByOne = filled(orders, wanted, new Map());
  expect(filled(orders, wanted, madeAhead(orders, wanted, luck))).toEqual(oneByOne);
  return oneByOne;
}

describe('filling slots with instances made ahead', () => {
  it('gives the same result as filling one after the other', () => {
    const splits = fc.constantFrom<Split>('train', 'validation', 'test');
    const counts = fc.record({ some: fc.nat(10), many: fc.nat(10), noRoom: fc.nat(3) });
    fc.assert(
      fc.property(counts, splits, fc.string(), fc.string(), (count, split, seed, luck) => {
        const orders = [
          { kind: some, count: count.some },
          { kind: many, count: count.many },
          { kind: noRoom, count: count.noRoom },
        ];
        expectSame(orders, { split, seed }, luck);
      }),
      { numRuns: tries(30) },
    );
  });

  it('gives the same result with repeated instances and exhausted kinds', () => {
    const wanted: BatchOptions = { split: 'test', seed: 'seed' };
    const orders = [
      { kind: few, count: 30 },
      { kind: none, count: 3 },
    ];
    const { slots, shortages } = expectSame(orders, wanted, 'luck');
    expect(shortages).toMatchObject([
      { kind: few, asked: 30 },
      { kind: none, asked: 3, achieved: 0 },
    ]);
    const ahead = [...madeAhead(orders, wanted, 'luck').values()].filter((made) => made !== null);
    const classes = new Set(ahead.map(({ symmetryDigest }) => symmetryDigest));
    expect(classes.size).toBeLessThan(ahead.length);
    expect(slots.filter((made) => made !== null).length).toBeGreaterThanOrEqual(classes.size);
  });

  it.each<Split>(['train', 'test'])('gives the same result with replacements, in the split "%s"', (split) => {
    const standIns = (kind: Kind): Kind[] => [noRoom, { ...kind, holes: 5 }, many];
    const orders = [
      { kind: few, count: 30 },
      { kind: none, count: 3 },
      { kind: some, count: 10 },
    ];
    const { slots, shortages } = expectSame(orders, { split, seed: 'seed', standIns }, 'luck');
    expect(slots).not.toContain(null);
    expect(shortages.find(({ kind }) => kind === none)).toMatchObject({ asked: 3, achieved: 0, replaced: 3 });
  });
});

describe('a replacement', () => {
  it('is of the first kind that exists', () => {
    const wanted: BatchOptions = { split: 'test', seed: 'seed', standIns: () => [noRoom, many, some] };
    const { made } = collected(fill({ orders: [{ kind: none, count: 4 }], wanted }));
    expect(made.map(({ kind }) => kind)).toEqual([many, many, many, many]);
  });

  it('is of the next kind when one is exhausted, and finally nothing', () => {
    const wanted: BatchOptions = { split: 'test', seed: 'seed', standIns: () => [few, noRoom] };
    const { made, shortages } = collected(fill({ orders: [{ kind: none, count: 40 }], wanted }));
    expect(made.length).toBeGreaterThan(0);
    expect(shortages).toMatchObject([{ asked: 40, achieved: 0, replaced: made.length }]);
    const more: BatchOptions = { ...wanted, standIns: () => [few, many] };
    const all = collected(fill({ orders: [{ kind: none, count: 40 }], wanted: more })).made;
    expect(all.map(({ kind }) => kind)).toEqual([...made.map(() => few), ...Array(40 - made.length).fill(many)]);
  });

  it('never repeats an instance outside of training', () => {
    const orders = [
      { kind: none, count: 30 },
      { kind: some, count: 30 },
    ];
    const { made } = collected(fill({ orders, wanted: { split: 'test', seed: 'seed', standIns: () => [some] } }));
    expect(made.length).toBeGreaterThan(30);
    expect(new Set(made.map(({ symmetryDigest }) => symmetryDigest)).size).toBe(made.length);
  });
});

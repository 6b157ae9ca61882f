import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import { Random } from '../../../src/lab/random.ts';
import type { Cell, Instance } from '../instance.ts';
import { clearBit, hasBit, lowest, PairStep, setBit } from './pairs.ts';
import { Terrain } from './terrain.ts';
import { neighboursOf } from './testing/joint-moves.ts';

describe('a bit of a row', () => {
  const row = fc.uniqueArray(fc.nat(127), { maxLength: 128 });

  it('is set and cleared individually', () => {
    fc.assert(
      fc.property(row, fc.nat(127), fc.nat(3), (members, cell, at) => {
        const bits = new Int32Array(8);
        for (const member of members) setBit(bits, at, member);
        const present = (): number[] => all(128).filter((other) => hasBit(bits, at, other));
        expect(present()).toEqual(all(128).filter((other) => members.includes(other)));
        clearBit(bits, at, cell);
        expect(present()).toEqual(all(128).filter((other) => members.includes(other) && other !== cell));
        setBit(bits, at, cell);
        expect(present()).toEqual(all(128).filter((other) => members.includes(other) || other === cell));
      }),
    );
  });

  it('is found as the lowest one', () => {
    fc.assert(
      fc.property(fc.nat(31), fc.integer(), (place, above) => {
        expect(lowest((1 << place) | ((above << place) & ~(1 << place)))).toBe(place);
      }),
    );
  });
});

interface Sets {
  readonly instance: Instance;
  readonly mayWait: boolean;
  /** Pairs of free cells: first and second agent. */
  readonly pairs: readonly (readonly [Cell, Cell])[];
  /** Pairs that are present already. */
  readonly before: readonly (readonly [Cell, Cell])[];
  /** The cells of first agents to look at. */
  readonly cells: readonly Cell[];
  /** The allowed cells of the first and the second. */
  readonly within: readonly [readonly Cell[], readonly Cell[]];
}

/** A lake with sets of pairs of various densities. */
function drawn(seed: number, size: number, mayWait: boolean): Sets {
  const random = new Random(String(seed), 'pairs');
  const share = [0, 0.2, 0.6][random.below(3)] as number;
  const holes = Uint8Array.from({ length: size ** 2 }, () => (random.fraction() < share ? 1 : 0));
  const free = all(size ** 2).filter((cell) => holes[cell] === 0);
  const some = (part: number): Cell[] => free.filter(() => random.fraction() < part);
  const density = [0.05, 0.4, 0.95][random.below(3)] as number;
  // On large lakes a few adjacent rows are enough.
  const firsts = size > 8 ? free.slice(random.below(free.length + 1)).slice(0, 40) : free;
  const pairs = firsts.flatMap((one) =>
    some(density).flatMap((other) => (one === other ? [] : [[one, other] as const])),
  );
  const before = firsts.slice(0, 2).flatMap((one) => some(0.1).map((other) => [one, other] as const));
  const part = [1, 0.5][random.below(2)] as number;
  const instance = { size, holes, agents: [] };
  return {
    instance,
    mayWait,
    pairs,
    before,
    cells: firsts.filter(() => random.below(5) > 0),
    within: [some(part), some(part)],
  };
}

function all(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

/** Every joint move of every pair, one by one. */
function expected({ instance, mayWait, pairs, before, cells, within }: Sets): Set<string> {
  const after = new Set(before.map(String));
  const [first, second] = within.map((part) => new Set(part)) as [Set<Cell>, Set<Cell>];
  const reach = (cell: Cell): Cell[] => [...neighboursOf(instance, cell), ...(mayWait ? [cell] : [])];
  const looked = new Set(cells);
  for (const [one, other] of pairs) {
    if (!looked.has(one)) continue;
    for (const to of reach(one)) {
      for (const otherTo of reach(other)) {
        const meets = to === otherTo || (to === other && otherTo === one);
        if (!meets && first.has(to) && second.has(otherTo)) after.add(`${to},${otherTo}`);
      }
    }
  }
  return after;
}

describe('a step of all pairs', () => {
  /** Reuses the same memory for all cases. */
  const terrain = new Terrain();
  const steps = [new PairStep(terrain, false), new PairStep(terrain, true)] as const;

  function taken({ instance, mayWait, pairs, before, cells, within }: Sets): Set<string> {
    terrain.load(instance);
    const { words } = terrain;
    const rows = terrain.cells * words;
    const [from, to, limits] = [3, 3 + rows, 3 + 2 * rows];
    const bits = new Int32Array(limits);
    const limit = new Int32Array(2 * words + 2);
    for (const [one, other] of pairs) setBit(bits, from + one * words, other);
    for (const [one, other] of before) setBit(bits, to + one * words, other);
    for (const cell of within[0]) setBit(limit, 1, cell);
    for (const cell of within[1]) setBit(limit, 2 + words, cell);
    const given = bits.slice(0, to);
    steps[mayWait ? 1 : 0].take(bits, from, to, cells, { bits: limit, first: 1, second: 2 + words });
    expect(bits.slice(0, to)).toEqual(given);
    const found = new Set<string>();
    for (const one of all(terrain.cells)) {
      for (const other of all(32 * words)) if (hasBit(bits, to + one * words, other)) found.add(`${one},${other}`);
    }
    return found;
  }

  it.each([
    ['one to four words per row', [3, 4, 5, 6, 7, 8, 9, 10, 11], 500],
    ['grid rows of about one word', [15, 16, 17, 31, 32], 60],
  ])('contains exactly the joint moves of all pairs: %s', (_, sizes, numRuns) => {
    const sets = fc.tuple(fc.nat(), fc.constantFrom(...sizes), fc.boolean()).map((args) => drawn(...args));
    fc.assert(
      fc.property(sets, (given) => {
        expect(taken(given)).toEqual(expected(given));
      }),
      { numRuns: tries(numRuns) },
    );
  });
});

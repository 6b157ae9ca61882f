import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Agent, horizonOf, nowhere, pairOf } from './instance.ts';
import { instanceOf } from './line.ts';
import { moveFrom, moveLetters, planOf, positionsOf } from './plan.ts';
import { instances, planned } from './testing/arbitraries.ts';
import { pathsOf } from './testing/forms.ts';

const instance = instanceOf({
  size: 3,
  holes: [[1, 1]],
  agents: [
    { start: [0, 0], goal: [2, 2] },
    { start: [2, 2], goal: [0, 0] },
    { start: [0, 2], goal: [0, 2] },
  ],
});

describe('a move', () => {
  it('leads to a neighbour, or nowhere', () => {
    const ways = { U: [-1, 0], D: [1, 0], L: [0, -1], R: [0, 1], W: [0, 0] } as const;
    const where = fc.integer({ min: 3, max: 32 }).chain((size) => fc.tuple(fc.constant(size), fc.nat(size * size - 1)));
    fc.assert(
      fc.property(where, fc.constantFrom(...(Object.keys(ways) as (keyof typeof ways)[])), ([size, cell], letter) => {
        const [down, right] = ways[letter];
        const [row, column] = pairOf(cell, size);
        const isOn = row + down >= 0 && row + down < size && column + right >= 0 && column + right < size;
        const next = moveFrom(cell, letter.charCodeAt(0), size);
        expect(next).toBe(isOn ? (row + down) * size + column + right : nowhere);
      }),
    );
    expect(Object.keys(ways).join('')).toBe(moveLetters);
  });
});

describe('a plan as paths', () => {
  it('has the start and a cell for every move', () => {
    expect(pathsOf(instance, ['RRW', ''])).toEqual([
      [
        [0, 0],
        [0, 1],
        [0, 2],
        [0, 2],
      ],
      [[2, 2]],
    ]);
  });

  it('stays at the edge, and in a hole forever', () => {
    expect(pathsOf(instance, ['LRDDU'])).toEqual([
      [
        [0, 0],
        [0, 0],
        [0, 1],
        [1, 1],
        [1, 1],
        [1, 1],
      ],
    ]);
  });

  it('parses to the same plan, unless it left the grid or fell', () => {
    fc.assert(
      fc.property(planned(), ({ instance, plan }) => {
        const again = planOf(pathsOf(instance, plan), instance);
        expect(again).toHaveLength(plan.length);
        const once = pathsOf(instance, again as string[]);
        expect(once).toEqual(pathsOf(instance, plan));
        expect(planOf(once, instance)).toEqual(again);
        for (const [i, moves] of plan.entries())
          if (staysOn(instance, i, moves)) expect(again).toHaveProperty([i], moves);
      }),
    );
  });
});

function staysOn(instance: ReturnType<typeof instanceOf>, i: number, moves: string): boolean {
  let at = (instance.agents[i] as Agent).start;
  for (const letter of moves) {
    at = moveFrom(at, letter.charCodeAt(0), instance.size);
    if (at === nowhere || instance.holes[at] === 1) return false;
  }
  return true;
}

describe('positions by step', () => {
  it('contain every agent at every step, even without moves', () => {
    expect(positionsOf(instance, ['RR', 'U'])).toEqual([
      [0, 8, 2],
      [1, 5, 2],
      [2, 5, 2],
    ]);
    expect(positionsOf(instance, [])).toEqual([[0, 8, 2]]);
  });

  it('end at the horizon', () => {
    const long = 'W'.repeat(horizonOf(3) + 5);
    expect(positionsOf(instance, [long])).toHaveLength(horizonOf(3) + 1);
  });

  it('equal the cells of the paths', () => {
    fc.assert(
      fc.property(planned({ largest: 6 }), ({ instance, plan }) => {
        const paths = pathsOf(instance, plan);
        for (const [step, cells] of positionsOf(instance, plan).entries()) {
          expect(cells.map((cell) => pairOf(cell, instance.size))).toEqual(
            paths.map((path) => path[step] ?? path.at(-1)),
          );
        }
      }),
    );
  });

  it('begin with the starts', () => {
    fc.assert(
      fc.property(instances(), (instance) => {
        expect(positionsOf(instance, [])).toEqual([instance.agents.map(({ start }) => start)]);
      }),
    );
  });
});

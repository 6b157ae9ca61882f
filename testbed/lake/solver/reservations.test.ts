import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import { Random } from '../../../src/lab/random.ts';
import type { Cell, Instance } from '../instance.ts';
import { Reservations } from './reservations.ts';
import { Terrain } from './terrain.ts';
import { neighboursOf } from './testing/joint-moves.ts';

/** A naive version: an agent is on the cells of its path, and on the last one forever. */
class Ways {
  readonly ways = new Map<number, readonly Cell[]>();

  at(agent: number, step: number): Cell {
    const way = this.ways.get(agent) as readonly Cell[];
    return way[Math.min(step, way.length - 1)] as Cell;
  }

  /** The agents met by moving from `cell` to `next` at `step`. */
  met(step: number, cell: Cell, next: Cell): number[] {
    const isMet = (agent: number): boolean =>
      this.at(agent, step + 1) === next || (this.at(agent, step) === next && this.at(agent, step + 1) === cell);
    return [...this.ways.keys()].filter(isMet);
  }

  visitors(cell: Cell, step: number, until: number): number[] {
    const comes = (agent: number): boolean => {
      for (let later = step; later <= until; later++) if (this.at(agent, later) === cell) return true;
      return false;
    };
    return [...this.ways.keys()].filter(comes);
  }
}

const agents = 6;

/** A walk of at most `steps` steps that meets no other; null if the start is taken. */
function walk(random: Random, instance: Instance, steps: number, others: Ways): Cell[] | null {
  const free = [...instance.holes.keys()].filter((cell) => instance.holes[cell] === 0);
  for (let attempt = 0; attempt < 20; attempt++) {
    const way = [free[random.below(free.length)] as Cell];
    if (others.visitors(way[0] as Cell, 0, 0).length > 0) continue;
    const moves = random.below(steps + 1);
    for (let step = 0; step < moves; step++) {
      const cell = way[step] as Cell;
      const nexts = [cell, ...neighboursOf(instance, cell)].filter((next) => others.met(step, cell, next).length === 0);
      if (nexts.length === 0) break;
      way.push(nexts[random.below(nexts.length)] as Cell);
    }
    if (others.visitors(way.at(-1) as Cell, way.length - 1, steps + 1).length === 0) return way;
  }
  return null;
}

describe('reserved paths', () => {
  const terrain = new Terrain();
  const reservations = new Reservations(terrain);

  /** Paths that come and go at random, in the same memory as those of earlier lakes. */
  function scene(seed: number): { instance: Instance; random: Random; ways: Ways; steps: number } {
    const random = new Random(String(seed), 'ways');
    const size = 3 + random.below(3);
    const holes = Uint8Array.from({ length: size ** 2 }, () => (random.below(6) === 0 ? 1 : 0));
    holes[0] = 0;
    const instance = { size, holes, agents: Array.from({ length: agents }, () => ({ start: 0, goal: 0 })) };
    const steps = random.below(8);
    const ways = new Ways();
    terrain.load(instance);
    reservations.clear(steps);
    for (let change = 0; change < 12; change++) {
      const agent = random.below(agents);
      if (ways.ways.delete(agent)) {
        reservations.release(agent);
        continue;
      }
      const way = walk(random, instance, steps, ways);
      if (way === null) continue;
      ways.ways.set(agent, way);
      const each = 1 + random.below(3);
      const cells = Int16Array.from({ length: way.length * each }, (_, i) => way[Math.floor(i / each)] as Cell);
      reservations.settle(agent, cells, way.length, each);
    }
    return { instance, random, ways, steps };
  }

  const bits = (members: readonly number[]): number => members.reduce((set, agent) => set | (1 << agent), 0);

  it('allow a move that meets no agent, and otherwise name one that is met', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const { instance, ways, steps } = scene(seed);
        for (let step = 0; step <= steps + 3; step++) {
          for (const [cell, hole] of instance.holes.entries()) {
            for (const next of hole === 1 ? [] : [cell, ...neighboursOf(instance, cell)]) {
              if (ways.visitors(cell, step, step).length > 0) continue;
              const met = ways.met(step, cell, next);
              reservations.blockers = 0;
              expect(reservations.isFree(step, cell, next)).toBe(met.length === 0);
              expect(reservations.blockers & ~bits(met)).toBe(0);
              expect(reservations.blockers === 0).toBe(met.length === 0);
            }
          }
        }
      }),
      { numRuns: tries(200) },
    );
  });

  it('report a cell as quiet after the last visit, and otherwise name a visitor', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const { instance, ways, steps } = scene(seed);
        for (const cell of instance.holes.keys()) {
          for (let step = 0; step <= steps + 1; step++) {
            const visitors = ways.visitors(cell, step, steps + 1);
            reservations.blockers = 0;
            expect(reservations.isQuiet(cell, step)).toBe(visitors.length === 0);
            expect(reservations.blockers & ~bits(visitors)).toBe(0);
            expect(reservations.blockers === 0).toBe(visitors.length === 0);
          }
        }
      }),
      { numRuns: tries(200) },
    );
  });

  it('are returned up to the final arrival, with their agents', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const { ways } = scene(seed);
        expect(reservations.settled).toBe(bits([...ways.ways.keys()]));
        for (const [agent, way] of ways.ways) {
          const arrival = way.findLastIndex((cell, i) => i === 0 || cell !== way[i - 1]);
          expect([...reservations.way(agent)]).toEqual(way.slice(0, arrival + 1));
        }
      }),
      { numRuns: tries(200) },
    );
  });

  it('accumulate the agents that were met', () => {
    terrain.load({ size: 3, holes: new Uint8Array(9), agents: [] });
    reservations.clear(2);
    reservations.settle(2, Int16Array.of(0, 1), 2);
    reservations.settle(4, Int16Array.of(8), 1);
    reservations.blockers = 1;
    expect([reservations.isFree(0, 1, 0), reservations.isQuiet(8, 0), reservations.isFree(5, 4, 1)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(reservations.blockers).toBe(1 + 2 ** 2 + 2 ** 4);
  });

  it('are removed by clear', () => {
    reservations.clear(2);
    expect(reservations.settled).toBe(0);
    for (const cell of [0, 1, 8]) expect(reservations.isQuiet(cell, 0)).toBe(true);
  });
});

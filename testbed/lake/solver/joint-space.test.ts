import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import type { Instance } from '../instance.ts';
import { judge } from '../judge.ts';
import { exhaustive } from '../testing/exhaustive.ts';
import { fits, leastCost, type Optimum, positionsOn } from './joint-space.ts';
import { movesOf } from './solver.ts';
import { Terrain } from './terrain.ts';
import { canArrive } from './testing/joint-moves.ts';
import { allKinds, fullLakes, openLakes } from './testing/lakes.ts';

const terrain = new Terrain();
const lakes = fc.oneof(
  allKinds({ agents: 1, sizes: [3, 6] }),
  allKinds({ agents: 2, sizes: [3, 4, 5] }),
  allKinds({ agents: 3, sizes: [3, 4] }),
  allKinds({ agents: 4, sizes: [3] }),
);

function found(instance: Instance, mayWait: boolean, most = Number.POSITIVE_INFINITY): Optimum | null {
  terrain.load(instance);
  return leastCost(terrain, mayWait, most);
}

const planOf = (instance: Instance, { ways }: Optimum): string[] => ways.map((way) => movesOf(way, instance.size));

describe('the search of joint positions', () => {
  it('finds the optimal cost, or that there is no plan', () => {
    fc.assert(
      fc.property(fc.oneof(lakes, fullLakes({ agents: 4, sizes: [3] })), (instance) => {
        expect(found(instance, true)?.cost).toBe(exhaustive(instance)?.cost);
      }),
      { numRuns: tries(600) },
    );
  });

  it('returns paths of a plan with this cost, each up to its final arrival', () => {
    fc.assert(
      fc.property(lakes, fc.boolean(), (instance, mayWait) => {
        const optimum = found(instance, mayWait);
        if (optimum === null) return;
        const plan = planOf(instance, optimum);
        expect(judge(instance, plan)).toMatchObject({ outcome: 'valid', cost: optimum.cost });
        expect(plan.join('')).toHaveLength(optimum.cost);
        if (!mayWait) expect(plan.join('')).not.toContain('W');
      }),
      { numRuns: tries(400) },
    );
  });

  it('finds nothing if all plans exceed the cost limit', () => {
    fc.assert(
      fc.property(lakes, fc.boolean(), fc.nat(4), (instance, mayWait, less) => {
        const optimum = found(instance, mayWait);
        if (optimum === null) return;
        expect(found(instance, mayWait, optimum.cost)?.cost).toBe(optimum.cost);
        expect(found(instance, mayWait, optimum.cost - 1 - less)).toBeNull();
      }),
      { numRuns: tries(300) },
    );
  });

  it('without waits finds the minimal cost of plans without waits', () => {
    const small = fc.oneof(allKinds({ agents: 2, sizes: [3] }), allKinds({ agents: 3, sizes: [3] }));
    fc.assert(
      fc.property(small, (instance) => {
        const best = exhaustive(instance);
        if (best === null) return;
        const unwaiting = found(instance, false, best.cost);
        expect(unwaiting === null).toBe(best.needsWait);
        const arrivals = (unwaiting === null ? best.plan : planOf(instance, unwaiting)).map(({ length }) => length);
        const members = [...instance.agents.keys()];
        expect(canArrive(instance, members, arrivals, false)).toBe(unwaiting !== null);
      }),
      { numRuns: tries(300) },
    );
  });
});

describe('the number of positions', () => {
  const withFree = (size: number, agents: number, free: number): Instance => ({
    size,
    holes: Uint8Array.from({ length: size ** 2 }, (_, cell) => (cell < free ? 0 : 1)),
    agents: Array.from({ length: agents }, (_, agent) => ({ start: agent, goal: agent })),
  });

  it.each([
    [32, 2, 1024, true],
    [9, 3, 80, true],
    [9, 3, 81, false],
    [5, 4, 22, true],
    [5, 4, 23, false],
    [4, 5, 10, true],
    [4, 5, 11, false],
    [32, 26, 1000, false],
  ])('fits up to a limit: size %i, %i agents, %i free cells: %s', (size, agents, free, isFitting) => {
    terrain.load(withFree(size, agents, free));
    expect(fits(positionsOn(terrain))).toBe(isFitting);
  });

  it('is handled on the largest lake that fits', () => {
    for (const instance of fc.sample(openLakes({ agents: 2, sizes: [24] }, 0.5), { numRuns: 5, seed: 1 })) {
      const optimum = found(instance, true);
      if (optimum === null) continue;
      expect(judge(instance, planOf(instance, optimum))).toMatchObject({ outcome: 'valid', cost: optimum.cost });
    }
  });
});

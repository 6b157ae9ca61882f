import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import { Random } from '../../../src/lab/random.ts';
import { type Agent, type Instance, symmetriesOf } from '../instance.ts';
import { judge } from '../judge.ts';
import { transformed } from '../testing/forms.ts';
import { randomLake, shuffle } from '../testing/random-lakes.ts';
import { type Solution, Solver } from './solver.ts';
import { allKinds, alone, embedded, openLakes, trees } from './testing/lakes.ts';

const effort = 200_000;
const solver = new Solver();

/** Whether there is a plan, its cost, and whether it waits, independent of the particular plan. */
function outcome(instance: Instance): object | 'undecided' {
  const solution = solver.solve(instance, effort);
  if (solution.solvable === 'undecided') return 'undecided';
  if (solution.solvable === false) return { solvable: false };
  const needsWait = solver.needsWait(instance, solution.cost, effort);
  return needsWait === null ? 'undecided' : { cost: solution.cost, needsWait };
}

function costOf(solution: Solution): number {
  return solution.solvable === true ? solution.cost : Number.POSITIVE_INFINITY;
}

const crowds = fc.oneof(
  ...[3, 4, 5].map((agents) => openLakes({ agents, sizes: [8, 10] }, 0.35)),
  trees({ agents: 3, sizes: [8] }),
);

describe('equivalent lakes', () => {
  it.each([
    ['small', fc.oneof(...[2, 3, 4].map((agents) => allKinds({ agents, sizes: [3, 4, 5] }))), 150],
    ['large', crowds, 80],
  ])('have the same optimum under rotation, reflection and renumbering: %s ones', (_, lakes, numRuns) => {
    const numbered = lakes.chain((instance) =>
      fc.record({
        instance: fc.constant(instance),
        agents: fc.shuffledSubarray([...instance.agents], { minLength: instance.agents.length }),
      }),
    );
    fc.assert(
      fc.property(numbered, ({ instance, agents }) => {
        const ways = symmetriesOf(instance.size).map((way) => transformed({ ...instance, agents }, way));
        const decided = [instance, ...ways].map(outcome).filter((found) => found !== 'undecided');
        for (const found of decided) expect(found).toEqual(decided[0]);
      }),
      { numRuns: tries(numRuns) },
    );
  });

  it.each([31, 32])('have the same optimum when embedded among holes in size %i', (size) => {
    const lakes = [2, 3, 4].map((agents) => allKinds({ agents, sizes: [3, 4] }));
    const places = fc.oneof(...lakes, openLakes({ agents: 4, sizes: [8] }, 0.3)).chain((instance) =>
      fc.record({
        instance: fc.constant(instance),
        down: fc.constantFrom(0, 1, 13, size - instance.size),
        right: fc.constantFrom(0, 1, 14, size - instance.size),
      }),
    );
    fc.assert(
      fc.property(places, ({ instance, down, right }) => {
        const [near, far] = [instance, embedded(instance, size, down, right)].map(outcome);
        if (near !== 'undecided' && far !== 'undecided') expect(far).toEqual(near);
      }),
      { numRuns: tries(100) },
    );
  });
});

describe('with more agents', () => {
  it('the cost is at least that of any two or three alone plus the shortest paths of the others', () => {
    fc.assert(
      fc.property(crowds, (instance) => {
        const solution = solver.solve(instance, effort);
        if (solution.solvable === 'undecided') return;
        const everybody = [...instance.agents.keys()];
        const single = everybody.map((agent) => costOf(solver.solve(alone(instance, [agent]))));
        for (const group of [...subsets(everybody, 2), ...subsets(everybody, 3)]) {
          const among = solver.solve(alone(instance, group), effort);
          if (among.solvable === 'undecided') continue;
          const others = everybody.filter((agent) => !group.includes(agent));
          const least = others.reduce((sum, agent) => sum + (single[agent] as number), costOf(among));
          expect(costOf(solution)).toBeGreaterThanOrEqual(least);
        }
      }),
      { numRuns: tries(80) },
    );
  });

  it('removing an agent never increases the cost of the others', () => {
    fc.assert(
      fc.property(crowds, (instance) => {
        const solution = solver.solve(instance, effort);
        if (solution.solvable !== true) return;
        const others = [...instance.agents.keys()].slice(1);
        const without = solver.solve(alone(instance, others), effort);
        if (without.solvable === 'undecided') return;
        expect(costOf(without)).toBeLessThanOrEqual(solution.cost - (solution.plan[0] ?? '').length);
      }),
      { numRuns: tries(80) },
    );
  });
});

function subsets(of: readonly number[], count: number): number[][] {
  if (count === 0) return [[]];
  return of.flatMap((first, i) => subsets(of.slice(i + 1), count - 1).map((rest) => [first, ...rest]));
}

describe('the largest lakes with many agents', () => {
  const little = 500;

  it.each([
    [3, 9],
    [6, 26],
    [10, 26],
    [16, 10],
    [31, 26],
    [32, 26],
  ])('end with an answer: size %i, %i agents', (size, agents) => {
    const random = new Random('largest', size, agents);
    for (const share of [0, 0.1, 0.3]) {
      const holes = Math.min(Math.floor(share * size ** 2), size ** 2 - agents);
      for (const instance of [
        randomLake(random, { size, agents, holes, mayStartAtGoal: true }),
        shifted(size, agents, random),
      ]) {
        const solution = solver.solve(instance, little);
        if (solution.solvable === true) {
          expect(judge(instance, solution.plan)).toMatchObject({ outcome: 'valid', cost: solution.cost });
          expect([true, false, null]).toContain(solver.needsWait(instance, solution.cost, little));
        }
        if (solution.solvable === false) expect(solution.because.length).toBeGreaterThan(0);
      }
    }
  });

  /** Every goal is one or two cells from the start, so that most of these have a plan. */
  function shifted(size: number, agents: number, random: Random): Instance {
    const cells = Array.from({ length: size ** 2 }, (_, cell) => cell);
    const starts = [...cells];
    shuffle(random, starts);
    const taken = new Set<number>();
    const list: Agent[] = [];
    for (const start of starts) {
      const goal = cells.find((cell) => !taken.has(cell) && Math.abs(cell - start) <= 2) ?? -1;
      if (goal < 0 || list.length === agents) continue;
      taken.add(goal);
      list.push({ start, goal });
    }
    return { size, holes: new Uint8Array(size ** 2), agents: list };
  }
});

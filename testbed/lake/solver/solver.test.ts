import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import { fromAscii } from '../ascii.ts';
import type { Instance } from '../instance.ts';
import { judge } from '../judge.ts';
import { exhaustive } from '../testing/exhaustive.ts';
import { naiveJudge } from '../testing/naive-judge.ts';
import { Solver } from './solver.ts';
import { allKinds, alone, fullLakes, openLakes, trees } from './testing/lakes.ts';

const lake = (...lines: readonly string[]): Instance => fromAscii(lines.join('\n'));
const solver = new Solver();

/** The result of the solver, in the form of the exhaustive search. */
function optimum(instance: Instance): object | null {
  const solution = solver.solve(instance);
  if (solution.solvable === true) {
    return { cost: solution.cost, needsWait: solver.needsWait(instance, solution.cost) };
  }
  return solution.solvable === false ? null : solution;
}

function expected(instance: Instance): object | null {
  const best = exhaustive(instance);
  return best === null ? null : { cost: best.cost, needsWait: best.needsWait };
}

describe('lakes with an obvious optimum', () => {
  it.each([
    ['a single agent takes a shortest path', lake('a. ## .A', '.. ## ..', '.. .. ..'), 6, false],
    ['no agent has to move', lake('aA bB ..', '.. .. ..', '.. .. ..'), 0, false],
    ['one follows the other', lake('a. bA .B', '## ## ##', '## ## ##'), 2, false],
    ['three go round a ring', lake('a. bA ##', '.C cB ##', '## ## ##'), 3, false],
    ['four go round a full ring', lake('aD bA ##', 'dC cB ##', '## ## ##'), 4, false],
    ['an agent makes way and comes back to its goal', lake('b. aA .B', '## .. ##', '## ## ##'), 4, false],
    ['two pass each other by a pocket, and one has to wait', lake('aB .. bA', '## .. ##', '## ## ##'), 7, true],
    [
      'staying on the goal before making way is a wait',
      lake('b. .. aA .B', '## ## .. ##', '## ## ## ##', '## ## ## ##'),
      6,
      true,
    ],
  ])('%s', (_, instance, cost, needsWait) => {
    expect(optimum(instance)).toEqual({ cost, needsWait });
  });

  it.each([
    ['two want to pass in a corridor', lake('aB .. bA', '## ## ##', '## ## ##'), [0, 1]],
    ['two want to exchange neighbouring cells of a corridor', lake('aB bA ..', '## ## ##', '## ## ##'), [0, 1]],
    ['two want to swap their order in a full ring', lake('aB bA ##', 'dD cC ##', '## ## ##'), [0, 1, 2, 3]],
    ['a goal is behind holes', lake('a. ## .A', '## ## ..', '.. .. ..'), [0]],
    ['one of three has its goal behind holes', lake('aA ## .B', '## ## ##', 'cC b. ..'), [1]],
    ['three of eight want to change their order around a hole', lake('aB bA cC', 'hH ## dD', 'gG fF eE'), [0, 1, 2]],
  ])('has no plan when %s', (_, instance, because) => {
    expect(solver.solve(instance)).toEqual({ solvable: false, because });
  });
});

describe('the optimal cost and the need of a wait agree with an exhaustive search', () => {
  const sameAsReference = (instance: Instance): void => {
    expect(optimum(instance)).toEqual(expected(instance));
  };

  it.each([
    ['two agents, random holes', openLakes({ agents: 2, sizes: [3, 4, 5] }), 2000],
    ['three agents, random holes', openLakes({ agents: 3, sizes: [3, 4] }), 700],
    ['four agents, random holes', openLakes({ agents: 4, sizes: [3] }), 150],
    ['two agents among corridors', trees({ agents: 2, sizes: [3, 4, 5] }), 1000],
    ['three agents among corridors', trees({ agents: 3, sizes: [3, 4] }), 400],
    ['four agents among corridors', trees({ agents: 4, sizes: [3, 4] }), 60],
    ['two agents with little room', fullLakes({ agents: 2, sizes: [3] }), 300],
    ['three agents with little room', fullLakes({ agents: 3, sizes: [3, 4] }), 300],
    ['four agents with little room', fullLakes({ agents: 4, sizes: [3] }), 150],
    ['five agents with little room', fullLakes({ agents: 5, sizes: [3] }), 20],
  ])('%s', (_, lakes, numRuns) => {
    fc.assert(fc.property(lakes, sameAsReference), { numRuns: tries(numRuns) });
  });
});

describe('a plan', () => {
  it('is valid, has the reported cost, and each of its texts ends with the final arrival', () => {
    const lakes = fc.oneof(...[2, 3, 4].map((agents) => allKinds({ agents, sizes: [3, 4] })));
    fc.assert(
      fc.property(lakes, fc.constantFrom(0, 1_000_000), (instance, effort) => {
        const solution = solver.solve(instance, effort);
        if (solution.solvable !== true) return;
        const { cost, plan } = solution;
        expect(judge(instance, plan)).toMatchObject({ outcome: 'valid', cost });
        expect(naiveJudge(instance, plan, false)).toMatchObject({ outcome: 'valid', cost });
        expect(plan.join('')).toHaveLength(cost);
      }),
      { numRuns: tries(1000) },
    );
  });

  it('may exceed the horizon, and then fails the judge although it is optimal', () => {
    const size = 16;
    const isWall = (row: number, column: number): boolean => row % 2 === 1 && column !== (row % 4 === 1 ? size - 1 : 0);
    const cells = Array.from({ length: size ** 2 }, (_, cell) => cell);
    const holes = Uint8Array.from(cells, (cell) => (isWall(Math.floor(cell / size), cell % size) ? 1 : 0));
    const snake = { size, holes, agents: [{ start: 0, goal: size * (size - 1) }] };
    const solution = solver.solve(snake);
    expect(solution).toMatchObject({ solvable: true, cost: 135 });
    expect(judge(snake, solution.solvable === true ? solution.plan : [])).toMatchObject({ outcome: 'horizon' });
  });
});

it('the agents named as the reason have no plan by themselves', () => {
  const lakes = fc.oneof(...[2, 3, 4].map((agents) => allKinds({ agents, sizes: [3, 4] })));
  fc.assert(
    fc.property(lakes, fc.constantFrom(0, 1_000_000), (instance, effort) => {
      const solution = solver.solve(instance, effort);
      if (solution.solvable !== false) return;
      expect(solution.because.length).toBeGreaterThan(0);
      expect(solution.because.toSorted((one, other) => one - other)).toEqual(solution.because);
      expect(exhaustive(alone(instance, solution.because))).toBeNull();
    }),
    { numRuns: tries(500) },
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import type { Instance } from '../instance.ts';
import { exhaustive } from '../testing/exhaustive.ts';
import { Search } from './search.ts';
import { type Solution, Solver } from './solver.ts';
import { Terrain } from './terrain.ts';
import { allKinds, fullLakes, openLakes, trees } from './testing/lakes.ts';

const enough = 300_000;
/** Too large to search position by position, and hard enough to need more than the least effort. */
const hard = fc.oneof(
  fullLakes({ agents: 6, sizes: [3, 4] }),
  trees({ agents: 4, sizes: [7] }),
  openLakes({ agents: 5, sizes: [6, 7, 8] }, 0.35),
);
const efforts = fc.integer({ min: 0, max: 12 }).map((power) => 2 ** power);

/** The known bound of the cost after this effort. */
function boundOf(solution: Solution): number {
  if (solution.solvable === true) return solution.cost;
  return solution.solvable === false ? Number.POSITIVE_INFINITY : solution.bound;
}

describe('an inconclusive answer', () => {
  it('reports the effort, and a lower bound for every plan', () => {
    const solver = new Solver();
    let undecided = 0;
    fc.assert(
      fc.property(hard, efforts, (instance, effort) => {
        const before = solver.work;
        const early = solver.solve(instance, effort);
        if (early.solvable !== 'undecided') return;
        undecided++;
        expect(early.effort).toBe(effort);
        expect(solver.work - before).toBeGreaterThanOrEqual(effort);
        expect(early.bound).toBeLessThanOrEqual(boundOf(solver.solve(instance, enough)));
      }),
      { numRuns: tries(150) },
    );
    expect(undecided).toBeGreaterThan(10);
  });

  it('improves with more effort, and final answers stay the same', () => {
    const solver = new Solver();
    fc.assert(
      fc.property(hard, efforts, efforts, (instance, one, other) => {
        const early = solver.solve(instance, Math.min(one, other));
        const late = solver.solve(instance, Math.max(one, other));
        if (early.solvable === 'undecided') expect(boundOf(late)).toBeGreaterThanOrEqual(early.bound);
        else expect([late.solvable, boundOf(late)]).toEqual([early.solvable, boundOf(early)]);
      }),
      { numRuns: tries(150) },
    );
  });
});

describe('a search that is stopped repeatedly', () => {
  /** Doubles the effort every time, and collects its bounds. */
  function* goOn(search: Search): Generator<ReturnType<Search['go']>> {
    for (let effort = 1; effort < enough; effort *= 2) {
      const found = search.go(effort);
      yield found;
      if (found.answer !== 'spent') return;
    }
  }

  it('never reports a bound above the optimum, and ends with the same result as without stops', () => {
    const terrain = new Terrain();
    const search = new Search(terrain, true);
    const lakes = fc.oneof(...[2, 3, 4].map((agents) => allKinds({ agents, sizes: [3, 4] })));
    fc.assert(
      fc.property(lakes, (instance) => {
        terrain.load(instance);
        const best = exhaustive(instance)?.cost ?? Number.POSITIVE_INFINITY;
        search.begin(Number.POSITIVE_INFINITY);
        for (const found of goOn(search)) {
          if (found.answer === 'spent') expect(found.bound).toBeLessThanOrEqual(best);
          else expect(found.answer === 'found' ? found.cost : Number.POSITIVE_INFINITY).toBe(best);
          if (best === Number.POSITIVE_INFINITY && found.answer === 'spent' && search.work > 2000) return;
        }
      }),
      { numRuns: tries(250) },
    );
  });
});

describe('a reused solver', () => {
  interface Query {
    readonly instance: Instance;
    readonly effort: number;
    readonly asksForWaits: boolean;
  }

  const lakes = fc.oneof(
    allKinds({ agents: 2, sizes: [3, 4, 5] }),
    allKinds({ agents: 3, sizes: [3, 4] }),
    openLakes({ agents: 4, sizes: [4, 6, 8] }, 0.3),
    trees({ agents: 3, sizes: [5, 11] }),
    openLakes({ agents: 1, sizes: [3, 9] }, 0.3),
  );
  const questions: fc.Arbitrary<Query> = fc.record({
    instance: lakes,
    effort: fc.constantFrom(0, 100, 10_000, enough),
    asksForWaits: fc.boolean(),
  });

  /** The work it took is a part of the answer. */
  const answered = (solver: Solver, { instance, effort, asksForWaits }: Query): string => {
    const before = solver.work;
    const solution = solver.solve(instance, effort);
    const needsWait = asksForWaits && solution.solvable === true && solver.needsWait(instance, solution.cost, effort);
    return JSON.stringify({ solution, needsWait, work: solver.work - before });
  };

  it('gives the same answers as a new one, for any sizes and repetitions', () => {
    const used = new Solver();
    fc.assert(
      fc.property(fc.array(questions, { minLength: 1, maxLength: 6 }), (asked) => {
        const fresh = asked.map((question) => answered(new Solver(), question));
        expect(asked.map((question) => answered(used, question))).toEqual(fresh);
        expect(asked.toReversed().map((question) => answered(used, question))).toEqual(fresh.toReversed());
      }),
      { numRuns: tries(120) },
    );
  });

  it('reports whether an instance needs a wait without having solved it', () => {
    const solver = new Solver();
    fc.assert(
      fc.property(allKinds({ agents: 3, sizes: [3, 4] }), lakes, (instance, other) => {
        const best = exhaustive(instance);
        if (best === null) return;
        solver.solve(other, 1000);
        expect(solver.needsWait(instance, best.cost)).toBe(best.needsWait);
        expect(new Solver().needsWait(instance, best.cost)).toBe(best.needsWait);
      }),
      { numRuns: tries(200) },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import type { Instance } from '../instance.ts';
import { exhaustive } from '../testing/exhaustive.ts';
import { leastCost } from './joint-space.ts';
import { Search } from './search.ts';
import { Terrain } from './terrain.ts';
import { allKinds, openLakes } from './testing/lakes.ts';

const terrain = new Terrain();
const waiting = new Search(terrain, true);
const unwaiting = new Search(terrain, false);
const enough = 300_000;

const lakes = fc.oneof(
  allKinds({ agents: 2, sizes: [3, 4] }),
  allKinds({ agents: 3, sizes: [3, 4] }),
  allKinds({ agents: 4, sizes: [3] }),
  openLakes({ agents: 2, sizes: [6] }, 0.5),
);

/** The optimal cost; null without a plan, undefined if the effort was not enough. */
function found(search: Search, instance: Instance, most: number): number | null | undefined {
  terrain.load(instance);
  search.begin(most);
  const answer = search.go(enough);
  if (answer.answer === 'spent') return undefined;
  return answer.answer === 'found' ? answer.cost : null;
}

describe('the search of arrival times', () => {
  it('finds the optimum by itself on over 90 % of lakes', () => {
    let asked = 0;
    let undecided = 0;
    fc.assert(
      fc.property(lakes, (instance) => {
        const best = exhaustive(instance);
        if (best === null) return;
        const cost = found(waiting, instance, Number.POSITIVE_INFINITY);
        asked++;
        if (cost === undefined) undecided++;
        else expect(cost).toBe(best.cost);
      }),
      { numRuns: tries(700) },
    );
    expect(undecided / asked).toBeLessThan(0.1);
  });

  it('finds the optimal cost without waits, up to a limit', () => {
    fc.assert(
      fc.property(lakes, fc.nat(4), (instance, more) => {
        const best = exhaustive(instance);
        if (best === null) return;
        const most = best.cost + more;
        const cost = found(unwaiting, instance, most);
        if (cost === undefined) return;
        expect(cost).toBe(leastCost(terrain, false, most)?.cost ?? null);
        if (cost === null || cost > best.cost) expect(best.needsWait).toBe(true);
      }),
      { numRuns: tries(700) },
    );
  });

  it('finds nothing below the optimum', () => {
    fc.assert(
      fc.property(lakes, (instance) => {
        const best = exhaustive(instance);
        if (best === null) return;
        expect([best.cost, undefined]).toContain(found(waiting, instance, best.cost));
        expect([null, undefined]).toContain(found(waiting, instance, best.cost - 1));
      }),
      { numRuns: tries(300) },
    );
  });
});

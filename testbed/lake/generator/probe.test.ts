import { describe, expect, it } from 'vitest';
import { symmetryDigestOf } from '../instance.ts';
import { exhaustive } from '../testing/exhaustive.ts';
import { poolOf } from './maker.ts';
import { kindName } from './orders.ts';
import { probe } from './suites.ts';
import { arrangements } from './testing/arrangements.ts';
import { type Collected, collected } from './testing/collected.ts';

const perKind = 2;
const pools = new Map<string, Collected>();

function poolFor(agents: number, split: 'probe' | 'probe-holdout'): Collected {
  const name = `${agents} ${split}`;
  const pool = pools.get(name) ?? collected(probe(agents, perKind, { split, seed: 'probe' }));
  pools.set(name, pool);
  return pool;
}

describe.each(['probe', 'probe-holdout'] as const)('the split "%s"', (split) => {
  it.each([2, 4])(
    'has instances with and without a wait for every size and level of holes, for %i agents',
    (agents) => {
      const { made, shortages } = poolFor(agents, split);
      const counts = new Map(shortages.map(({ kind, achieved }) => [kindName(kind), achieved]));
      for (const size of [3, 4, 5, 6, 7, 8, 9, 10]) {
        for (const level of [0, 0.1, 0.2, 0.3]) {
          for (const needsWait of [false, true]) {
            const kind = { size, agents, holes: Math.round(level * size ** 2), needsWait };
            const some = made.filter((one) => kindName(one.kind) === kindName(kind));
            expect(some).toHaveLength(counts.get(kindName(kind)) ?? perKind);
          }
        }
      }
      expect(made).toHaveLength(
        64 * perKind - shortages.reduce((sum, { asked, achieved }) => sum + asked - achieved, 0),
      );
    },
  );

  it('lacks only kinds that are too rare: waits of two agents on the smallest lakes without holes', () => {
    expect(poolFor(4, split).shortages).toEqual([]);
    for (const { kind, achieved } of poolFor(2, split).shortages) {
      expect(kind).toMatchObject({ agents: 2, holes: 0, needsWait: true });
      if (kind.size === 3) expect(achieved).toBe(waitingOnThree(split));
      else expect(kind.size).toBe(4);
    }
  });

  it('has no repeated instance, and none of the other split', () => {
    for (const agents of [2, 4]) {
      const digests = poolFor(agents, split).made.map(({ symmetryDigest }) => symmetryDigest);
      expect(new Set(digests).size).toBe(digests.length);
      expect(digests.every((digest) => poolOf(digest) === split)).toBe(true);
    }
  });
});

/** The number of classes of two agents on 3 x 3 without holes that need a wait and are in the split. */
function waitingOnThree(split: string): number {
  const waiting = arrangements(0).filter((instance) => exhaustive(instance)?.needsWait === true);
  return new Set(waiting.map(symmetryDigestOf).filter((digest) => poolOf(digest) === split)).size;
}

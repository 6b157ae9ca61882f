import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import { fromAscii } from '../ascii.ts';
import type { Cell, Instance } from '../instance.ts';
import { exhaustive } from '../testing/exhaustive.ts';
import { Consistency } from './consistency.ts';
import { Terrain, unreachable } from './terrain.ts';
import { canArrive } from './testing/joint-moves.ts';
import { allKinds, fullLakes, openLakes, trees } from './testing/lakes.ts';
import { pairKey, pairsThatCount } from './testing/pairs-that-count.ts';

const terrain = new Terrain();
const waiting = new Consistency(terrain, true);
const unwaiting = new Consistency(terrain, false);

interface Query {
  readonly instance: Instance;
  readonly members: readonly number[];
  /** By agent, never earlier than possible alone, and without waits only at possible times. */
  readonly arrivals: readonly number[];
  readonly mayWait: boolean;
}

/** Questions as a search asks them, for agents that can all reach their goals. */
function queries(lakes: fc.Arbitrary<Instance>, members: readonly number[], most = 4): fc.Arbitrary<Query> {
  return lakes
    .filter((instance) => {
      terrain.load(instance);
      return instance.agents.every((_, agent) => terrain.distance(agent) < unreachable);
    })
    .chain((instance) =>
      fc
        .record({
          more: fc.array(fc.nat(most), { minLength: instance.agents.length, maxLength: instance.agents.length }),
          mayWait: fc.boolean(),
        })
        .map(({ more, mayWait }) => {
          terrain.load(instance);
          const later = more.map((steps) => (mayWait ? steps : 2 * Math.floor(steps / 2)));
          const arrivals = later.map((steps, agent) => terrain.distance(agent) + steps);
          return { instance, members, arrivals, mayWait };
        }),
    );
}

function mayHold({ instance, members, arrivals, mayWait }: Query): boolean {
  terrain.load(instance);
  return (mayWait ? waiting : unwaiting).mayHold(members, arrivals);
}

describe('consistency of two arrival times', () => {
  it('agrees with an exhaustive search', () => {
    fc.assert(
      fc.property(queries(allKinds({ agents: 3, sizes: [3, 4] }), [0, 2], 7), (question) => {
        const { instance, members, arrivals, mayWait } = question;
        expect(mayHold(question)).toBe(canArrive(instance, members, arrivals, mayWait));
      }),
      { numRuns: tries(800) },
    );
  });
});

describe('consistency of several arrival times', () => {
  const crowds = [
    queries(allKinds({ agents: 3, sizes: [3] }), [0, 1, 2]),
    queries(allKinds({ agents: 4, sizes: [3] }), [0, 1, 2, 3], 2),
    queries(openLakes({ agents: 4, sizes: [4] }, 0.3), [0, 1, 3], 2),
    queries(openLakes({ agents: 3, sizes: [6] }, 0.3), [0, 1, 2], 1),
  ];

  it.each(crowds.map((questions, i) => [i, questions] as const))(
    'never refuses possible times: crowd %i',
    (_, crowd) => {
      fc.assert(
        fc.property(crowd, (question) => {
          if (mayHold(question)) return;
          const { instance, members, arrivals, mayWait } = question;
          expect(canArrive(instance, members, arrivals, mayWait)).toBe(false);
        }),
        { numRuns: tries(100) },
      );
    },
  );

  it('refuses nearly all impossible times, and most of those possible for every pair', () => {
    const count = { impossible: 0, refused: 0, subtle: 0, subtlyRefused: 0 };
    const crowd = fc.oneof(
      crowds[0] as fc.Arbitrary<Query>,
      queries(fullLakes({ agents: 3, sizes: [3] }), [0, 1, 2], 3),
    );
    for (const question of fc.sample(crowd, { numRuns: 1500, seed: 1 })) {
      const { instance, members, arrivals, mayWait } = question;
      if (canArrive(instance, members, arrivals, mayWait)) continue;
      const isRefused = !mayHold(question);
      const pairs = members.map((left) => members.filter((member) => member !== left));
      const isSubtle = pairs.every((pair) => canArrive(instance, pair, arrivals, mayWait));
      count.impossible++;
      if (isRefused) count.refused++;
      if (isSubtle) count.subtle++;
      if (isSubtle && isRefused) count.subtlyRefused++;
    }
    expect(count.impossible).toBeGreaterThan(500);
    expect(count.refused / count.impossible).toBeGreaterThan(0.9);
    expect(count.subtle).toBeGreaterThan(50);
    expect(count.subtlyRefused / count.subtle).toBeGreaterThan(0.6);
  });

  it.each([
    [
      'three',
      fc.oneof(
        queries(allKinds({ agents: 3, sizes: [3] }), [0, 1, 2]),
        queries(trees({ agents: 3, sizes: [4] }), [0, 1, 2]),
      ),
    ],
    ['four', queries(allKinds({ agents: 4, sizes: [3] }), [0, 1, 2, 3], 3)],
    ['three of four', queries(allKinds({ agents: 4, sizes: [3] }), [0, 2, 3], 3)],
  ])('allows all relevant pairs of cells, and hardly any other, for %s agents with waits', (_, crowd) => {
    let pairs = 0;
    let others = 0;
    fc.assert(
      fc.property(crowd, (question) => {
        const { instance, members, arrivals } = question;
        const counting = pairsThatCount(instance, members, arrivals);
        const holds = mayHold({ ...question, mayWait: true });
        if (counting !== null) expect(holds).toBe(true);
        else if (holds) others++;
        if (!holds || counting === null) return;
        for (let step = 0; step <= Math.max(...members.map((agent) => arrivals[agent] as number)); step++) {
          for (const x of members.keys()) {
            for (let y = x + 1; y < members.length; y++) {
              for (const cell of instance.holes.keys()) {
                for (const other of instance.holes.keys()) {
                  const isAllowed = waiting.allows(x, y, step, cell, other);
                  const counts = counting.has(pairKey(x, y, step, cell, other));
                  if (counts) expect(isAllowed).toBe(true);
                  pairs++;
                  if (isAllowed && !counts) others++;
                }
              }
            }
          }
        }
      }),
      { numRuns: tries(150) },
    );
    expect(pairs).toBeGreaterThan(10_000);
    expect(others).toBeLessThan(pairs / 1000);
  });

  it('allows the steps of a plan', () => {
    const lakes = fc.oneof(allKinds({ agents: 3, sizes: [3, 4] }), allKinds({ agents: 4, sizes: [3] }));
    fc.assert(
      fc.property(lakes, fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }), (instance, more) => {
        const best = exhaustive(instance);
        if (best === null) return;
        const members = [...instance.agents.keys()];
        const arrivals = best.plan.map((moves, agent) => moves.length + (more[agent] as number));
        expect(mayHold({ instance, members, arrivals, mayWait: true })).toBe(true);
        const ways = best.plan.map((moves, agent) => wayOf(instance, agent, moves));
        for (let step = 0; step <= Math.max(...arrivals) + 2; step++) {
          for (const x of members) {
            for (const y of members.slice(x + 1)) {
              const [cell, other] = [x, y].map((agent) => ways[agent]?.[step] ?? ways[agent]?.at(-1)) as [Cell, Cell];
              expect(waiting.allows(x, y, step, cell, other)).toBe(true);
            }
          }
        }
      }),
      { numRuns: tries(300) },
    );
  });

  it('allows only goals at the end, and only shortest paths without slack', () => {
    const instance = fromAscii(['a. .. .A', '.. .. ..', 'b. .. .B'].join('\n'));
    expect(mayHold({ instance, members: [0, 1], arrivals: [2, 2], mayWait: true })).toBe(true);
    const allowed = [0, 1, 2, 3].map((step) => {
      const pairs: string[] = [];
      for (let cell = 0; cell < 9; cell++) {
        for (let other = 0; other < 9; other++)
          if (waiting.allows(0, 1, step, cell, other)) pairs.push(`${cell} ${other}`);
      }
      return pairs;
    });
    expect(allowed).toEqual([['0 6'], ['1 7'], ['2 8'], ['2 8']]);
  });

  it('is unknown if there are too many pairs', () => {
    const size = 32;
    const agents = [0, 1, 2, 3].map((i) => ({ start: i, goal: 1023 - i }));
    const instance = { size, holes: new Uint8Array(size ** 2), agents };
    expect(mayHold({ instance, members: [0, 1, 2, 3], arrivals: [62, 62, 62, 62], mayWait: true })).toBe(true);
    expect(waiting.isKnown).toBe(false);
    expect(mayHold({ instance, members: [0, 1], arrivals: [62, 60, 0, 0], mayWait: true })).toBe(true);
    expect(waiting.isKnown).toBe(true);
  });
});

function wayOf({ size, agents }: Instance, agent: number, moves: string): Cell[] {
  const by: Readonly<Record<string, number>> = { U: -size, D: size, L: -1, R: 1, W: 0 };
  const way = [agents[agent]?.start as Cell];
  for (const letter of moves) way.push((way.at(-1) as Cell) + (by[letter] as number));
  return way;
}

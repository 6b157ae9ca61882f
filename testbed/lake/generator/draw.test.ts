import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/lab/random.ts';
import { digestOf, type Instance } from '../instance.ts';
import { Draw } from './maker.ts';
import type { Kind } from './orders.ts';
import { arrangements, unevenness } from './testing/arrangements.ts';

function drawn(kind: Kind, count: number, seed: string): Instance[] {
  const draw = new Draw(kind);
  const random = new Random(seed);
  return Array.from({ length: count }, () => draw.instance(random));
}

const kinds = fc
  .record({ size: fc.integer({ min: 3, max: 10 }), agents: fc.integer({ min: 1, max: 8 }), needsWait: fc.boolean() })
  .chain((kind) => {
    const room = kind.size ** 2 - Math.max(kind.agents, 2);
    return fc.oneof(fc.constant(room), fc.nat(room)).map((holes) => ({ ...kind, holes }));
  });

describe('a draw', () => {
  it('has the size, holes and agents of its kind, each agent on ice and away from its goal, no two on one cell', () => {
    fc.assert(
      fc.property(kinds, fc.string(), (kind, seed) => {
        for (const { size, holes, agents } of drawn(kind, 5, seed)) {
          expect(size).toBe(kind.size);
          expect(holes).toHaveLength(size ** 2);
          expect(holes.filter((hole) => hole === 1)).toHaveLength(kind.holes);
          expect(agents).toHaveLength(kind.agents);
          expect(new Set(agents.map(({ start }) => start)).size).toBe(kind.agents);
          expect(new Set(agents.map(({ goal }) => goal)).size).toBe(kind.agents);
          for (const { start, goal } of agents) {
            expect(start).not.toBe(goal);
            expect([holes[start], holes[goal]]).toEqual([0, 0]);
          }
        }
      }),
    );
  });

  it('depends on the random numbers only, not on earlier draws', () => {
    const kind = { size: 5, agents: 3, holes: 6, needsWait: false };
    const draw = new Draw(kind);
    const first = draw.instance(new Random('one'));
    draw.instance(new Random('another'));
    expect(draw.instance(new Random('one'))).toEqual(first);
    expect(first).toEqual(drawn(kind, 1, 'one')[0]);
  });

  it.each([0, 5, 6])('is uniform over all lakes of 3 x 3 with two agents and %i holes', (holes) => {
    const all = arrangements(holes).map(digestOf);
    const sample = drawn({ size: 3, agents: 2, holes, needsWait: false }, 40 * all.length, 'even').map(digestOf);
    expect(Math.abs(unevenness(all, sample))).toBeLessThan(4);
  });

  it('assigns goals uniformly, even if all cells are taken', () => {
    const sample = drawn({ size: 3, agents: 4, holes: 5, needsWait: false }, 10_000, 'full');
    const places = sample.map(({ agents, holes }) => {
      const free = [...holes.keys()].filter((cell) => holes[cell] === 0);
      return agents.map(({ start, goal }) => `${free.indexOf(start)}${free.indexOf(goal)}`).join(' ');
    });
    // 24 arrangements of starts, with 9 arrangements of goals each, because no agent starts on its goal.
    expect(new Set(places).size).toBe(24 * 9);
    expect(Math.abs(unevenness(new Set(places), places))).toBeLessThan(4);
  });

  it('places holes, starts and goals uniformly on a large lake', () => {
    const sample = drawn({ size: 6, agents: 4, holes: 9, needsWait: false }, 20_000, 'cells');
    const cells = Array.from({ length: 36 }, (_, cell) => String(cell));
    const holes = sample.flatMap(({ holes }) => cells.filter((cell) => holes[Number(cell)] === 1));
    const places = [
      holes,
      ...[0, 1, 2, 3].flatMap((agent) => [
        sample.map(({ agents }) => String(agents[agent]?.start)),
        sample.map(({ agents }) => String(agents[agent]?.goal)),
      ]),
    ];
    for (const some of places) expect(unevenness(cells, some)).toBeLessThan(4);
  });
});

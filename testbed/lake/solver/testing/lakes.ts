// Lakes for property tests of the solver, of kinds that are hard in different ways.
import fc from 'fast-check';
import { Random } from '../../../../src/lab/random.ts';
import type { Cell, Instance } from '../../instance.ts';
import { randomLake } from '../../testing/random-lakes.ts';
import { randomPool } from '../../testing/random-pools.ts';

interface Kind {
  readonly agents: number;
  readonly sizes: readonly number[];
}

/** Random holes, at most that share of all cells: some agents cannot reach their goals at all. */
export function openLakes({ agents, sizes }: Kind, share = 0.6): fc.Arbitrary<Instance> {
  const shapes = fc.constantFrom(...sizes).chain((size) =>
    fc.record({
      size: fc.constant(size),
      agents: fc.constant(agents),
      holes: fc.nat(Math.min(size ** 2 - Math.max(agents, 2), Math.floor(share * size ** 2))),
      mayStartAtGoal: fc.constant(true as const),
    }),
  );
  return seeded(shapes, randomLake);
}

/** A connected set of as many cells as agents, or one or two more. */
export function fullLakes({ agents, sizes }: Kind): fc.Arbitrary<Instance> {
  const shapes = fc.record({
    size: fc.constantFrom(...sizes),
    agents: fc.constant(agents),
    free: fc.integer({ min: agents, max: agents + 2 }),
  });
  return seeded(shapes, randomPool);
}

/** Corridors and dead ends. */
export function trees({ agents, sizes }: Kind): fc.Arbitrary<Instance> {
  const shapes = fc.constantFrom(...sizes).chain((size) =>
    fc.record({
      size: fc.constant(size),
      agents: fc.constant(agents),
      free: fc.integer({ min: agents + 1, max: size ** 2 }),
      isTree: fc.constant(true),
    }),
  );
  return seeded(shapes, randomPool);
}

export function allKinds(kind: Kind): fc.Arbitrary<Instance> {
  return fc.oneof({ weight: 2, arbitrary: openLakes(kind) }, fullLakes(kind), trees(kind));
}

function seeded<T>(shapes: fc.Arbitrary<T>, draw: (random: Random, shape: T) => Instance): fc.Arbitrary<Instance> {
  return fc.tuple(fc.nat(), shapes).map(([seed, shape]) => draw(new Random(String(seed), 'lake'), shape));
}

/** The same lake within a larger one, at an offset, surrounded by holes. */
export function embedded({ size, holes, agents }: Instance, larger: number, down = 0, right = 0): Instance {
  const there = (cell: Cell): Cell => (Math.floor(cell / size) + down) * larger + (cell % size) + right;
  const around = new Uint8Array(larger ** 2).fill(1);
  for (const [cell, hole] of holes.entries()) around[there(cell)] = hole;
  return {
    size: larger,
    holes: around,
    agents: agents.map(({ start, goal }) => ({ start: there(start), goal: there(goal) })),
  };
}

/** Only these agents on the lake. */
export function alone(instance: Instance, members: readonly number[]): Instance {
  return { ...instance, agents: instance.agents.filter((_, agent) => members.includes(agent)) };
}

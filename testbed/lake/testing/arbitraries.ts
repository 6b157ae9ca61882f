// Lakes and plans for property tests: every instance that the line format allows; shrinks towards small ones.
import fc from 'fast-check';
import { type Agent, type Instance, largestSize, maxAgents, smallestSize } from '../instance.ts';
import { type Plan, positionsOf } from '../plan.ts';

export interface Bounds {
  readonly largest?: number;
  readonly agents?: number;
  readonly hasId?: boolean;
}

/** Any lake with room for its agents, some of them on their goals from the start, and some holes. */
export function instances({
  largest = largestSize,
  agents = maxAgents,
  hasId = true,
}: Bounds = {}): fc.Arbitrary<Instance> {
  return fc.integer({ min: smallestSize, max: largest }).chain((size) =>
    fc
      .record({
        starts: someCells(size, agents),
        goals: someCells(size, agents),
        holes: fc.array(fc.nat(size * size - 1), { maxLength: size * size }),
        id: hasId ? fc.option(ids, { nil: undefined }) : fc.constant(undefined),
      })
      .map(({ starts, goals, holes, id }) => lakeOf(size, starts, goals, holes, id)),
  );
}

const ids = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });

function someCells(size: number, most: number): fc.Arbitrary<number[]> {
  return fc.uniqueArray(fc.nat(size * size - 1), { minLength: 1, maxLength: Math.min(most, size * size) });
}

function lakeOf(
  size: number,
  starts: readonly number[],
  goals: readonly number[],
  holeCells: readonly number[],
  id: string | undefined,
): Instance {
  const agents: Agent[] = starts.slice(0, goals.length).map((start, i) => ({ start, goal: goals[i] as number }));
  const holes = new Uint8Array(size * size);
  for (const cell of holeCells) holes[cell] = 1;
  for (const { start, goal } of agents) holes[start] = holes[goal] = 0;
  return id === undefined ? { size, holes, agents } : { id, size, holes, agents };
}

/** Plans for this number of agents: random letters, mostly invalid plans. */
export function plansFor(agents: number, longest: number): fc.Arbitrary<Plan> {
  const moves = fc.array(fc.constantFrom('U', 'D', 'L', 'R', 'W'), { maxLength: longest }).map((all) => all.join(''));
  return fc.array(moves, { minLength: agents, maxLength: agents });
}

interface Planned {
  readonly instance: Instance;
  readonly plan: Plan;
}

/** A lake with a plan that has a text for every agent. */
export function planned(bounds: Bounds = {}, longest = 12): fc.Arbitrary<Planned> {
  return instances(bounds).chain((instance) =>
    plansFor(instance.agents.length, longest).map((plan) => ({ instance, plan })),
  );
}

/** The same, with goals at the ends of the plan and without holes on its paths as far as possible: many are valid. */
export function arriving(bounds: Bounds = {}, longest = 12): fc.Arbitrary<Planned> {
  return planned(bounds, longest).map(({ instance, plan }) => {
    const ice = { ...instance, holes: new Uint8Array(instance.holes.length) };
    const positions = positionsOf(ice, plan);
    const ends = positions.at(-1) as readonly number[];
    if (new Set(ends).size < ends.length) return { instance, plan };
    const agents = instance.agents.map(({ start }, i) => ({ start, goal: ends[i] as number }));
    const holes = instance.holes.slice();
    for (const cell of positions.flat()) holes[cell] = 0;
    return { instance: { ...instance, holes, agents }, plan };
  });
}

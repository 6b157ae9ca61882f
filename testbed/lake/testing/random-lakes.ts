// Random small lakes for tests, with random holes, starts and goals. Many of them have no plan.
import type { Random } from '../../../src/lab/random.ts';
import type { Agent, Instance } from '../instance.ts';

interface LakeShape {
  readonly size: number;
  readonly agents: number;
  /** The number of holes. */
  readonly holes: number;
  /** Agents may start on their own goals. */
  readonly mayStartAtGoal?: true;
}

/** No two agents share a start or a goal. */
export function randomLake(random: Random, shape: LakeShape): Instance {
  const { size, agents } = shape;
  const cells = Array.from({ length: size ** 2 }, (_, cell) => cell);
  shuffle(random, cells, shape.holes);
  const holes = new Uint8Array(size ** 2);
  for (const hole of cells.slice(0, shape.holes)) holes[hole] = 1;
  const free = cells.slice(shape.holes);
  if (free.length < Math.max(agents, 2)) throw new Error(`${free.length} free cells are too few for ${agents} agents`);
  for (;;) {
    const drawn = randomAgents(random, free, agents);
    if (shape.mayStartAtGoal || drawn.every(({ start, goal }) => start !== goal)) return { size, holes, agents: drawn };
  }
}

function randomAgents(random: Random, free: readonly number[], agents: number): Agent[] {
  const starts = [...free];
  const goals = [...free];
  shuffle(random, starts, agents);
  shuffle(random, goals, agents);
  return Array.from({ length: agents }, (_, agent) => ({
    start: starts[agent] as number,
    goal: goals[agent] as number,
  }));
}

/** Moves `count` random members to the front, in random order; the rest keeps no particular order. */
export function shuffle<T>(
  random: Random,
  list: { [index: number]: T; readonly length: number },
  count: number = list.length,
): void {
  for (let i = 0; i < count && i < list.length - 1; i++) {
    const j = i + random.below(list.length - i);
    const member = list[i] as T;
    list[i] = list[j] as T;
    list[j] = member;
  }
}

// Random small lakes for tests: so many holes anywhere, starts and goals anywhere else. Many of them have no plan.
import type { Random } from '../../../src/lab/random.ts';
import type { Agent, Instance } from '../instance.ts';

interface LakeShape {
  readonly size: number;
  readonly agents: number;
  /** How many cells are holes. */
  readonly holes: number;
  /** Agents may start on their own goals. */
  readonly mayStartAtGoal?: true;
}

/** No two agents start on one cell or want to be on one. */
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

/** Puts `count` random members first, in random order; the rest follow as it comes. */
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

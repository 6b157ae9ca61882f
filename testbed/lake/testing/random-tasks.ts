// Small lakes with plans to judge, generated quickly and in great number: most plans fail, in every possible way, and some are valid.

import type { Random } from '../../../src/lab/random.ts';
import { type Cell, horizonOf, type Instance } from '../instance.ts';
import { moveLetters, type Plan, positionsOf } from '../plan.ts';
import { shuffle } from './random-lakes.ts';

interface Task {
  readonly instance: Instance;
  readonly plan: Plan;
  readonly truncated: boolean;
}

/** Up to four agents. Texts of varying length, sometimes one too few; goals are often at the ends of the plan. */
export function randomTask(random: Random): Task {
  const size = 3 + random.below(3);
  const cells = Array.from({ length: size * size }, (_, cell) => cell);
  shuffle(random, cells);
  const starts = cells.slice(0, 1 + random.below(4));
  const holes = new Uint8Array(size * size);
  for (const cell of cells.slice(-random.below(4) - 1, -1)) holes[cell] = 1;
  const longest = random.below(4) === 0 ? horizonOf(size) + 4 : 1 + random.below(6);
  const plan = starts.slice(random.below(8) === 0 ? 1 : 0).map(() => moves(random, longest));
  const instance = { size, holes, agents: starts.map((start) => ({ start, goal: start })) };
  const ends = endsOf(instance, plan);
  const free = cells.filter((cell) => holes[cell] === 0);
  shuffle(random, free);
  const canArrive = new Set(ends).size === ends.length && ends.every((cell) => holes[cell] === 0);
  const goals = canArrive && random.below(2) === 0 ? ends : free;
  const agents = starts.map((start, i) => ({ start, goal: goals[i] as Cell }));
  return { instance: { ...instance, agents }, plan, truncated: random.below(4) === 0 };
}

function moves(random: Random, longest: number): string {
  return Array.from({ length: random.below(longest + 1) }, () => moveLetters[random.below(5)]).join('');
}

function endsOf(instance: Instance, plan: Plan): readonly Cell[] {
  return positionsOf(instance, plan).at(-1) as readonly Cell[];
}

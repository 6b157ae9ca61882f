// Draws lakes at random: holes, starts and goals, every arrangement as likely as any other in which no agent starts on
// its own goal.
import type { Random } from '../../random.ts';
import type { Agent, Cell, Instance } from '../instance.ts';
import type { Kind } from './kind.ts';

/** The kind has room. Whether its agents can reach their goals, and whether they need to wait, is left to chance. */
export function drawInstance(random: Random, { size, agents, holes }: Kind): Instance {
  const cells: Cell[] = Array.from({ length: size * size }, (_, cell) => cell);
  random.shuffle(cells, holes);
  const isHole = new Uint8Array(size * size);
  for (let i = 0; i < holes; i++) isHole[cells[i] as Cell] = 1;
  const free = cells.slice(holes);
  random.shuffle(free, agents);
  const starts = free.slice(0, agents);
  do random.shuffle(free, agents);
  while (starts.some((start, agent) => start === free[agent]));
  return { size, holes: isHole, agents: starts.map((start, agent): Agent => ({ start, goal: free[agent] as Cell })) };
}

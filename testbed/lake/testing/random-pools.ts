// Random lakes with connected free cells, for tests with many conflicts. With hardly more cells than agents, there is no room; without
// cycles, there are only corridors and dead ends.

import type { Random } from '../../../src/lab/random.ts';
import type { Cell, Instance } from '../instance.ts';
import { shuffle } from './random-lakes.ts';

interface PoolShape {
  readonly size: number;
  readonly agents: number;
  /** The number of cells that are not holes. */
  readonly free: number;
  /** No cycles, even if that leaves fewer free cells. */
  readonly isTree?: boolean;
}

/** Random starts and goals; agents may start on their own goals. */
export function randomPool(random: Random, { size, agents, free, isTree = false }: PoolShape): Instance {
  for (;;) {
    const cells = grown(random, size, free, isTree);
    if (cells.length < agents) continue;
    const holes = new Uint8Array(size ** 2).fill(1);
    for (const cell of cells) holes[cell] = 0;
    const goals = [...cells];
    shuffle(random, cells);
    shuffle(random, goals);
    const list = Array.from({ length: agents }, (_, i) => ({ start: cells[i] as Cell, goal: goals[i] as Cell }));
    return { size, holes, agents: list };
  }
}

/** Adds cells one after the other next to existing ones. */
function grown(random: Random, size: number, count: number, isTree: boolean): Cell[] {
  const cells: Cell[] = [random.below(size ** 2)];
  while (cells.length < count) {
    const beside = Array.from({ length: size ** 2 }, (_, cell) => cell).filter((cell) => {
      const touched = cells.filter((other) => areNeighbours(cell, other, size)).length;
      return !cells.includes(cell) && (isTree ? touched === 1 : touched > 0);
    });
    if (beside.length === 0) break;
    cells.push(beside[random.below(beside.length)] as Cell);
  }
  return cells;
}

function areNeighbours(one: Cell, other: Cell, size: number): boolean {
  const rows = Math.abs(Math.floor(one / size) - Math.floor(other / size));
  return rows + Math.abs((one % size) - (other % size)) === 1;
}

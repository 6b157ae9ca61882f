// The relevant pairs of cells for a few agents with waits, by definition: going back from the goals, a pair is relevant if a joint move
// leads to a relevant one and every third agent has a compatible cell.
import type { Agent, Cell, Instance } from '../../instance.ts';
import { neighboursOf } from './joint-moves.ts';

/** By pair of members and step: cells of both. Empty if some pair has none. */
type Counting = ReadonlySet<string>;

export const pairKey = (x: number, y: number, step: number, cell: Cell, other: Cell): string =>
  `${x} ${y} ${step} ${cell} ${other}`;

/** Null if some pair of members has none left at some step. */
export function pairsThatCount(
  instance: Instance,
  members: readonly number[],
  arrivals: readonly number[],
): Counting | null {
  const agents = members.map((member) => instance.agents[member] as Agent);
  const times = members.map((member) => arrivals[member] as number);
  const fromStart = agents.map(({ start }) => distances(instance, start));
  const toGoal = agents.map(({ goal }) => distances(instance, goal));
  const counting = new Set<string>();
  for (let step = Math.max(...times); step >= 0; step--) {
    const cells = agents.map((_, x) =>
      [...(fromStart[x] as Map<Cell, number>)]
        .filter(([cell, gone]) => gone <= step && isInTime(toGoal[x], cell, (times[x] as number) - step))
        .map(([cell]) => cell),
    );
    const isLast = step === Math.max(...times);
    const leads = (x: number, y: number, cell: Cell, other: Cell): boolean =>
      (isLast && cell === agents[x]?.goal && other === agents[y]?.goal) ||
      [cell, ...neighboursOf(instance, cell)].some((to) =>
        [other, ...neighboursOf(instance, other)].some(
          (otherTo) => !(to === other && otherTo === cell) && counting.has(pairKey(x, y, step + 1, to, otherTo)),
        ),
      );
    for (const [x, own] of cells.entries()) {
      for (const [y, others] of cells.entries()) {
        if (x === y) continue;
        for (const cell of own) {
          for (const other of others) {
            if (cell !== other && leads(x, y, cell, other)) counting.add(pairKey(x, y, step, cell, other));
          }
        }
      }
    }
    if (!isLast) leaveOutLonely(counting, cells, step);
    const isEmpty = agents.some((_, x) => agents.some((_, y) => x !== y && !hasAny(counting, cells, x, y, step)));
    if (isEmpty) return null;
  }
  return counting;
}

function isInTime(toGoal: ReadonlyMap<Cell, number> | undefined, cell: Cell, left: number): boolean {
  return (toGoal?.get(cell) ?? Number.POSITIVE_INFINITY) <= Math.max(left, 0);
}

function hasAny(counting: Counting, cells: readonly Cell[][], x: number, y: number, step: number): boolean {
  return (cells[x] ?? []).some((cell) =>
    (cells[y] ?? []).some((other) => counting.has(pairKey(x, y, step, cell, other))),
  );
}

/** Repeats until nothing changes. */
function leaveOutLonely(counting: Set<string>, cells: readonly Cell[][], step: number): void {
  const isLonely = (x: number, y: number, cell: Cell, other: Cell): boolean =>
    cells.some(
      (thirds, z) =>
        z !== x &&
        z !== y &&
        !thirds.some(
          (third) => counting.has(pairKey(x, z, step, cell, third)) && counting.has(pairKey(y, z, step, other, third)),
        ),
    );
  for (let again = true; again; ) {
    again = false;
    for (const [x, own] of cells.entries()) {
      for (const [y, others] of cells.entries()) {
        for (const cell of own) {
          for (const other of others) {
            const key = pairKey(x, y, step, cell, other);
            if (!counting.has(key) || !isLonely(x, y, cell, other)) continue;
            counting.delete(key);
            again = true;
          }
        }
      }
    }
  }
}

/** Steps from a cell to all reachable cells. */
function distances(instance: Instance, from: Cell): Map<Cell, number> {
  const steps = new Map([[from, 0]]);
  for (const [cell, gone] of steps) {
    for (const next of neighboursOf(instance, cell)) if (!steps.has(next)) steps.set(next, gone + 1);
  }
  return steps;
}

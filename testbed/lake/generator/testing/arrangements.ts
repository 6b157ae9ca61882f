// All lakes of 3 x 3 with two agents and a number of holes, and a test of uniformity for random samples of them.
import type { Agent, Cell, Instance } from '../../instance.ts';

const cells: readonly Cell[] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/** All of them, with agents in both orders, none on its goal: the possible results of a draw. */
export function arrangements(holes: number): Instance[] {
  return choices(holes, 0).flatMap((chosen) => {
    const lake = Uint8Array.from(cells, (cell) => (chosen.includes(cell) ? 1 : 0));
    const free = cells.filter((cell) => lake[cell] === 0);
    const ways = free.flatMap((start) => free.filter((goal) => goal !== start).map((goal): Agent => ({ start, goal })));
    return ways.flatMap((one) =>
      ways
        .filter((other) => other.start !== one.start && other.goal !== one.goal)
        .map((other) => ({ size: 3, holes: lake, agents: [one, other] })),
    );
  });
}

function choices(count: number, from: Cell): Cell[][] {
  if (count === 0) return [[]];
  return cells
    .filter((cell) => cell >= from)
    .flatMap((cell) => choices(count - 1, cell + 1).map((rest) => [cell, ...rest]));
}

/**
 * The deviation of a sample's chi-square from that of a uniform sample, in standard deviations. Unexpected names in the sample make it
 * infinite.
 */
export function unevenness(expected: Iterable<string>, sample: Iterable<string>): number {
  const counts = new Map(Array.from(expected, (name) => [name, 0]));
  let drawn = 0;
  for (const name of sample) {
    const count = counts.get(name);
    if (count === undefined) return Number.POSITIVE_INFINITY;
    counts.set(name, count + 1);
    drawn++;
  }
  const each = drawn / counts.size;
  const chiSquare = counts.values().reduce((sum, count) => sum + (count - each) ** 2 / each, 0);
  const freedom = counts.size - 1;
  return (chiSquare - freedom) / Math.sqrt(2 * freedom);
}

// The lakes for measuring solving and judging: 15 % to 25 % holes, random starts and goals, and solvable. Only lakes that are proven
// unsolvable are excluded: one that is too hard for the solver is included and counts.

import { Random } from '../../src/lab/random.ts';
import { Draw } from '../../testbed/lake/generator/maker.ts';
import type { Instance } from '../../testbed/lake/instance.ts';
import { Solver } from '../../testbed/lake/solver/solver.ts';

export interface Shape {
  readonly size: number;
  readonly agents: number;
}

export const shapes: readonly Shape[] = [8, 10].flatMap((size) => [2, 3, 4, 5].map((agents) => ({ size, agents })));

export function shapeName({ size, agents }: Shape): string {
  return `${size}x${size}, ${agents} agents`;
}

/** A few for trying a benchmark, or 2,000 for its targets. */
export const lakeCount = Number(process.env['ICECORE_BENCH_LAKES'] ?? 2000);

const seed = 'icecore-bench-lakes-1';

/** `use` separates measured lakes from those for warming up. */
export function lakesOf({ size, agents }: Shape, count: number, use: 'measured' | 'warm-up'): readonly Instance[] {
  const random = new Random(seed, 'lake', size, agents, use);
  const solver = new Solver();
  const fewest = Math.ceil(0.15 * size ** 2);
  const most = Math.floor(0.25 * size ** 2);
  const lakes: Instance[] = [];
  while (lakes.length < count) {
    const holes = fewest + random.below(most - fewest + 1);
    const lake = new Draw({ size, agents, holes, needsWait: false }).instance(random);
    if (solver.solve(lake).solvable !== false) lakes.push(lake);
  }
  return lakes;
}

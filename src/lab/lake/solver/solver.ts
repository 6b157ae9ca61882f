// Solves instances: the least sum of costs and a joint plan that has it, or that there is none, or how far it came. One
// Solver solves one instance after the other in the same memory.
import type { Instance } from '../instance.ts';
import type { Plan } from '../plan.ts';
import { movesOf } from './moves.ts';
import { Search } from './search.ts';
import { Terrain } from './terrain.ts';

export type Solution =
  | { readonly solvable: true; readonly cost: number; readonly plan: Plan }
  | { readonly solvable: false }
  | { readonly solvable: 'undecided'; readonly bound: number };

export class Solver {
  readonly #terrain = new Terrain();
  readonly #search = new Search(this.#terrain, true);
  readonly #unwaiting = new Search(this.#terrain, false);

  solve(instance: Instance, effort = 3_000_000): Solution {
    this.#terrain.load(instance);
    this.#search.begin(Number.POSITIVE_INFINITY);
    const found = this.#search.go(effort);
    if (found.answer === 'none') return { solvable: false };
    if (found.answer === 'spent') return { solvable: 'undecided', bound: found.bound };
    const plan = instance.agents.map((_, agent) => movesOf(this.#search.ways.way(agent), instance.size));
    return { solvable: true, cost: found.cost, plan };
  }

  needsWait(instance: Instance, cost: number, effort = 3_000_000): boolean | null {
    this.#terrain.load(instance);
    this.#unwaiting.begin(cost);
    const found = this.#unwaiting.go(effort);
    return found.answer === 'spent' ? null : found.answer === 'none';
  }
}

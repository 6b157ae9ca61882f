// Whether a plan could have cost less. What is known of an instance is remembered for a while: trainers have the same
// one solved many times over, and look at the tries one after the other.
import { bytesOf } from '../binary.ts';
import type { Instance } from '../instance.ts';
import { Solver } from '../solver/solver.ts';
import { Terrain } from '../solver/terrain.ts';

interface Known {
  /** No plan costs less. */
  readonly least: number;
  /** There is a plan that costs just that. */
  readonly isReached: boolean;
}

const mostRemembered = 4096;

export class Optima {
  readonly #effort: number;
  readonly #solver = new Solver();
  readonly #terrain = new Terrain();
  /** The one that was not needed for longest comes first. */
  readonly #known = new Map<string, Known>();

  constructor(effort: number) {
    this.#effort = effort;
  }

  /** Of the cost of a valid plan; null where the effort was not enough to tell. */
  isOptimal(instance: Instance, cost: number): boolean | null {
    const key = Buffer.from(bytesOf(instance)).toString('latin1');
    const remembered = this.#known.get(key);
    // Not remembered: what is said of a plan must not depend on which plans were seen before.
    if (remembered === undefined && cost === this.#distances(instance)) return true;
    const known = remembered ?? this.#found(instance);
    this.#remember(key, known);
    if (cost === known.least) return true;
    return known.isReached ? false : null;
  }

  #found(instance: Instance): Known {
    const solution = this.#solver.solve(instance, this.#effort);
    if (solution.solvable === true) return { least: solution.cost, isReached: true };
    if (solution.solvable === false) throw new Error('a plan is valid for an instance that is said to have none');
    return { least: solution.bound, isReached: false };
  }

  /** What all agents would have to go if each were alone. */
  #distances(instance: Instance): number {
    this.#terrain.load(instance);
    return instance.agents.reduce((sum, _, agent) => sum + this.#terrain.distance(agent), 0);
  }

  #remember(key: string, known: Known): void {
    this.#known.delete(key);
    this.#known.set(key, known);
    if (this.#known.size <= mostRemembered) return;
    const [oldest = ''] = this.#known.keys();
    this.#known.delete(oldest);
  }
}

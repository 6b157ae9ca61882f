// Solves the instance of a line.
import type { LakeSolved } from '../../../../schemas/lake-output.ts';
import { digestOf } from '../digest.ts';
import type { Instance } from '../instance.ts';
import { type Solution, Solver } from '../solver/solver.ts';

export class Solving {
  readonly #solver = new Solver();
  readonly #effort: number;

  constructor(effort: number) {
    this.#effort = effort;
  }

  answer(instance: Instance): LakeSolved {
    const solution = this.#solver.solve(instance, this.#effort);
    return { id: instance.id ?? null, digest: digestOf(instance), ...this.#told(solution, instance) };
  }

  #told(solution: Solution, instance: Instance): Omit<LakeSolved, 'id' | 'digest'> {
    const { solvable } = solution;
    const noPlan = { solvable, cost: null, needsWait: null, plan: null };
    switch (solvable) {
      case true: {
        const { cost, plan } = solution;
        return { solvable, cost, needsWait: this.#solver.needsWait(instance, cost, this.#effort), plan: [...plan] };
      }
      case false:
        return { ...noPlan, because: [...solution.because] };
      default: {
        const { bound, effort } = solution;
        return { ...noPlan, bound, reason: `an effort of ${effort} was not enough` };
      }
    }
  }
}

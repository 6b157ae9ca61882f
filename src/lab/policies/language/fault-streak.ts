// Tries that were spoilt in sequence: a question may be more than an endpoint can bear, but not all of them. Then it is the
// endpoint, and asking on would only take time. Tries of a sequence are passed on once another one follows that was answered:
// what an endpoint that is away did to them is no result of a policy.
import type { ModelFault } from '../../models/faults.ts';
import type { Planned } from '../policy.ts';

/** This many in sequence, and it is for nothing that was asked. */
const most = 16;

export class FaultStreak {
  readonly #spoilt: { readonly planned: Planned; readonly fault: ModelFault }[] = [];
  #isAnswering = false;

  /** What can be passed on by now. Throws the fault that is one too many. */
  next(planned: Planned, fault: ModelFault | undefined): readonly Planned[] {
    if (fault === undefined) {
      this.#isAnswering = true;
      return [...this.#spoilt.splice(0).map((one) => one.planned), planned];
    }
    this.#spoilt.push({ planned, fault });
    if (this.#spoilt.length === most) throw fault;
    return [];
  }

  /** What is left at the end. Throws where nothing was answered and each question might have been at another time. */
  rest(): readonly Planned[] {
    const last = this.#spoilt.at(-1);
    if (last !== undefined && !this.#isAnswering && this.#spoilt.every(({ fault }) => fault.isPassing))
      throw last.fault;
    return this.#spoilt.map(({ planned }) => planned);
  }
}

// Counts tries that were spoilt one after the other: a question may be more than an endpoint can bear, but not all of
// them. Then it is the endpoint, and asking on would only take time.
import type { ModelFault } from '../../models/faults/fault.ts';

/** So many in sequence, and it is for nothing that was asked. */
const most = 16;

export class FaultStreak {
  #length = 0;

  /** Throws the fault that is one too many. */
  watch(fault: ModelFault | undefined): void {
    this.#length = fault === undefined ? 0 : this.#length + 1;
    if (fault !== undefined && this.#length >= most) throw fault;
  }
}

// Checkpoints that are no blobs but names of something elsewhere: of a model on a server, a folder on a cluster. A bundle
// cannot bring them, and says so.
import type { StoredEvent } from '../../../ledger/stored.ts';

/** A run that leaves behind more of them is told of by the first. */
const most = 100;

export class Elsewhere {
  readonly #names = new Set<string>();

  look(event: StoredEvent): void {
    if (event.type !== 'TrainingRecorded' || this.#names.size >= most) return;
    const { reading } = event;
    if (!reading.known || reading.type !== 'TrainingRecorded') return;
    const { checkpoint } = reading.data;
    if (checkpoint === null || checkpoint === undefined) return;
    const { reference, digest } = checkpoint;
    if (reference !== digest) this.#names.add(reference);
  }

  names(): readonly string[] {
    return [...this.#names].sort();
  }
}

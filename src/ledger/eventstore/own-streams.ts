// What one opened ledger knows of the ends of the streams it wrote, though the mirror does not have it yet: where they end, and
// the highest of each family of ids it put there. It may be out of date, and the server says so.
import type { Highs } from '../remote/families.ts';
import type { End } from '../remote/planning.ts';

export interface Own extends End {
  /** Of the ids that the mirror did not have. */
  readonly highs: Highs;
}

/** As many are remembered; beyond it, all are looked up again. */
const remembered = 10_000;

export class OwnStreams {
  readonly #own = new Map<string, Own>();

  of(stream: string): Own | null {
    return this.#own.get(stream) ?? null;
  }

  remember(stream: string, own: Own): void {
    if (!this.#own.has(stream) && this.#own.size >= remembered) this.#own.clear();
    this.#own.set(stream, own);
  }

  forget(stream: string): void {
    this.#own.delete(stream);
  }
}

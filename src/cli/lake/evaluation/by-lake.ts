// What a policy achieved, lake by lake in their order: what two policies are held against one another by.
import { isSpoilt, type Verdict } from '../../../lab/environments/environment.ts';
import type { Achieved } from '../../../lab/statistics/pairs.ts';

export class ByLake {
  readonly #samples: number;
  #tries = 0;
  readonly valid: Achieved[] = [];
  readonly optimal: Achieved[] = [];
  readonly #counts = { valid: { yes: 0, of: 0 }, optimal: { yes: 0, of: 0 } };

  constructor(samples: number) {
    this.#samples = samples;
  }

  /** Tries come lake by lake, so many each. */
  add(verdict: Verdict): void {
    this.#tries += 1;
    if (!isSpoilt(verdict)) {
      const { success, metrics } = verdict;
      const { optimal } = metrics;
      this.#count('valid', success);
      if (!success || typeof optimal === 'number') this.#count('optimal', success && optimal === 1);
    }
    if (this.#tries % this.#samples !== 0) return;
    this.valid.push(this.#share('valid'));
    this.optimal.push(this.#share('optimal'));
  }

  #count(measure: 'valid' | 'optimal', isSo: boolean): void {
    const counts = this.#counts[measure];
    counts.of += 1;
    if (isSo) counts.yes += 1;
  }

  #share(measure: 'valid' | 'optimal'): Achieved {
    const { yes, of } = this.#counts[measure];
    this.#counts[measure] = { yes: 0, of: 0 };
    return of === 0 ? null : yes / of;
  }
}

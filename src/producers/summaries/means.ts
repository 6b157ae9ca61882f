// Means of whatever is measured by name. Of what is true or false, the mean is the share of those of which it is true.
import { entry } from '../../base/entry.ts';
import { evidenceIdOf } from './labels.ts';
import { type Fact, figure } from './summary.ts';

interface Mean {
  sum: number;
  of: number;
  /** Whether it was true or false each time. */
  isShare: boolean;
}

export class Means {
  readonly #means = new Map<string, Mean>();

  add(name: string, value: unknown): void {
    if (typeof value !== 'number' && typeof value !== 'boolean') return;
    const mean = entry(this.#means, name, () => ({ sum: 0, of: 0, isShare: true }));
    mean.sum += Number(value);
    mean.of += 1;
    mean.isShare &&= typeof value === 'boolean';
  }

  /** By name. `of` says how many it was measured of. */
  facts(prefix: string, family: string): Fact[] {
    return [...this.#means]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([measure, { sum, of, isShare }]) => ({
        evidenceId: evidenceIdOf(prefix, family, measure),
        family,
        measure,
        value: figure(sum / of),
        ...(isShare ? { count: sum } : {}),
        of,
      }));
  }
}

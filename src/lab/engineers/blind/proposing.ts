// What engineers that are blind to contexts have in common: a configuration that follows from the descriptor, the stage and
// a seed alone, without reasons, because there are none.
import type { Descriptor } from '../../../../schemas/environment.ts';
import type { Configuration } from '../../environments/environment.ts';
import { withKnob } from '../../environments/knobs.ts';
import type { Asked, Engineer } from '../engineer.ts';

export function blindEngineer(name: string, rationale: string, next: (asked: Asked) => Configuration): Engineer {
  return {
    identity: { name, version: '1', reads: [] },
    reads: [],
    propose: async (asked) => {
      asked.signal?.throwIfAborted();
      return { proposal: { configuration: next(asked), reasons: [], kept: null, predictions: null, rationale } };
    },
    close: async () => {},
  };
}

/**
 * The same configuration with each whole shared out among families as weighted. A share that belongs to no family, or to one
 * without a weight, gets nothing; a whole none of whose families has a weight stays as it is.
 */
export function withShares(
  descriptor: Descriptor,
  configuration: Configuration,
  weights: ReadonlyMap<string, number>,
): Configuration {
  let result = configuration;
  for (const { knobs: names, total } of descriptor.sharesSum ?? []) {
    const shares = descriptor.knobs.filter(({ name }) => names.includes(name));
    const weightOf = (family: string | null): number => (family === null ? 0 : (weights.get(family) ?? 0));
    const sum = shares.reduce((sum, { family }) => sum + weightOf(family), 0);
    if (sum === 0) continue;
    for (const knob of shares) result = withKnob(result, knob, (total * weightOf(knob.family)) / sum);
  }
  return result;
}

/** Families alike, and no others. */
export function alike(families: readonly { readonly family: string }[]): ReadonlyMap<string, number> {
  return new Map(families.map(({ family }) => [family, 1]));
}

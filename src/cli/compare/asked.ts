// What a comparison was asked for on the command line.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import type { ComparisonAsked } from '../../analysis/compare/compare.ts';
import { type Passable, passable } from '../../analysis/compare/facets.ts';
import type { RunReference } from '../runs/reference.ts';

export interface CompareOptions {
  readonly tag?: string;
  readonly against?: RunReference;
  readonly suite?: string;
  readonly measure?: string;
  readonly by?: readonly string[];
  readonly despite?: readonly string[];
  readonly margin?: number;
  readonly all?: true;
  readonly format?: 'text' | 'md';
}

export function askedFor(runs: readonly RunReference[], options: CompareOptions): ComparisonAsked {
  const { tag = null, against = null, suite = null, measure = null, margin = null, all = false } = options;
  const { by = [], despite = [] } = options;
  return { runs, tag, against, suite, measure, by, despite: despite.map(passableFrom), margin, all };
}

function passableFrom(word: string): Passable {
  const found = passable.find((one) => one === word);
  if (found !== undefined) return found;
  const near = nearestNames(word, passable);
  throw new IcecoreError('usage', `--despite: found "${word}", allowed: ${passable.join(', ')}`, {
    facts: { field: '--despite', found: word, allowed: passable, nearest: near },
    remedy:
      word === 'suite'
        ? 'Other tasks make no pairs: --suite names a suite that both were evaluated on.'
        : 'Several are separated by commas.',
  });
}

// What a comparison was asked for on the command line.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import type { ComparisonAsked } from '../../analysis/compare/compare.ts';
import { type Passable, passable } from '../../analysis/compare/facets.ts';
import { runReference } from '../runs/reference.ts';

export interface CompareOptions {
  readonly tag?: string;
  readonly against?: string;
  readonly suite?: string;
  readonly measure?: string;
  readonly by?: string;
  readonly despite?: string;
  readonly margin?: string;
  readonly all?: true;
  readonly md?: true;
}

export function askedFor(words: readonly string[], options: CompareOptions): ComparisonAsked {
  const { tag = null, against, suite = null, measure = null, by, despite, margin, all = false } = options;
  return {
    runs: words.map(runReference),
    tag,
    against: against === undefined ? null : runReference(against),
    suite,
    measure,
    by: wordsIn(by),
    despite: wordsIn(despite).map(passableFrom),
    margin: margin === undefined ? null : marginFrom(margin),
    all,
  };
}

function wordsIn(list: string | undefined): readonly string[] {
  return list === undefined ? [] : list.split(',').map((word) => word.trim());
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

function marginFrom(text: string): number {
  const margin = Number(text);
  if (text.trim() !== '' && margin > 0 && margin < 1) return margin;
  const asShare = margin >= 1 && margin < 100 ? ` ${margin} points are ${margin / 100}.` : '';
  throw new IcecoreError('usage', `--margin: found "${text}", allowed: a share above 0 and below 1`, {
    facts: { field: '--margin', found: text, allowed: 'a share above 0 and below 1' },
    remedy: `Differences below it count as none: --margin 0.02 for two points of percent.${asShare}`,
  });
}

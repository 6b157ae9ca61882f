// What `icecore compare` does: runs side by side, and how much better one is than another.
import type { Compared } from '../../../schemas/compare-output.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import { type Passable, passable } from '../../analysis/compare/comparable.ts';
import { type ComparisonQuery, compared } from '../../analysis/compare/compare.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import type { Context } from '../context.ts';
import { withLedgerToAnswer } from '../ledger.ts';
import { type MarkdownOption, printDocument, requireOneForm } from '../output/print.ts';
import { runReference } from '../runs/reference.ts';
import { compareDocument } from './view.ts';

interface CompareOptions extends MarkdownOption {
  readonly tag?: string;
  readonly against?: string;
  readonly suite?: string;
  readonly measure?: string;
  readonly by?: string;
  readonly despite?: string;
  readonly margin?: string;
  readonly all?: true;
}

export async function compare(context: Context, words: readonly string[], options: CompareOptions): Promise<number> {
  requireOneForm(context, options);
  const query = queryFrom(words, options);
  return await withLedgerToAnswer(context, async (ledger) => {
    const comparison = await compared(ledger, query);
    if (context.flags.json) await context.printJson(comparison);
    else await printDocument(context, compareDocument(comparison), options);
    if (!context.flags.json && options.md !== true) await hintDiff(context, comparison);
    return 0;
  });
}

/** Of two runs, what was redesigned otherwise is the next question. */
async function hintDiff(context: Context, { runs: [one, other, ...more] }: Compared): Promise<void> {
  if (one === undefined || other === undefined || more.length > 0 || one.stage === null || other.stage === null) return;
  const [from, to] = [one, other].map(({ run, name, label, stage }) =>
    shellWord(`${label.includes(`(${run})`) ? run : name}@${stage}`),
  );
  await context.hint(`icecore diff ${from} ${to} shows which knobs differ, family by family`);
}

function queryFrom(words: readonly string[], options: CompareOptions): ComparisonQuery {
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

// What `icecore compare` does: runs side by side, and how much better one is than another.
import type { Compared } from '../../../schemas/compare-output.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import { type Passable, passable } from '../../analysis/compare/comparable.ts';
import type { ComparisonQuery } from '../../analysis/compare/compare.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { FormatOption } from '../../library/plugins/command.ts';
import type { RunReference } from '../../library/reference.ts';
import { compare as compareRuns } from '../../library/understanding.ts';
import type { Context } from '../context.ts';
import { printDocument, requireOneForm } from '../output/print.ts';
import { compareDocument } from './view.ts';

interface CompareOptions extends FormatOption {
  readonly tag?: string;
  readonly against?: RunReference;
  readonly suite?: string;
  readonly measure?: string;
  readonly by?: readonly string[];
  readonly despite?: readonly string[];
  readonly margin?: number;
  readonly all?: true;
}

export async function compare(
  context: Context,
  runs: readonly RunReference[],
  options: CompareOptions,
): Promise<number> {
  requireOneForm(context, options);
  const query = queryFrom(runs, options);
  const comparison = await compareRuns(context.session, query);
  if (context.flags.json) await context.printJson(comparison);
  else await printDocument(context, compareDocument(comparison), options);
  if (!context.flags.json && options.format !== 'md') await hintDiff(context, comparison);
  return 0;
}

/** Of two runs, what was redesigned otherwise is the next question. */
async function hintDiff(context: Context, { runs: [one, other, ...more] }: Compared): Promise<void> {
  if (one === undefined || other === undefined || more.length > 0 || one.stage === null || other.stage === null) return;
  const [from, to] = [one, other].map(({ run, name, label, stage }) =>
    shellWord(`${label.includes(`(${run})`) ? run : name}@${stage}`),
  );
  await context.hint(`icecore diff ${from} ${to} shows which knobs differ, family by family`);
}

function queryFrom(runs: readonly RunReference[], options: CompareOptions): ComparisonQuery {
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

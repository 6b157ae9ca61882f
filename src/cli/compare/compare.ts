// What `icecore compare` does: runs side by side, and how much better one is than another.
import type { Compared } from '../../../schemas/compare-output.ts';
import { compared } from '../../analysis/compare/compare.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import type { Context } from '../context.ts';
import { withLedgerToAnswer } from '../ledger.ts';
import { requireOneForm } from '../output/one-form.ts';
import { markdownText } from '../output/page/markdown.ts';
import { terminalText } from '../output/page/terminal.ts';
import type { RunReference } from '../runs/reference.ts';
import { askedFor, type CompareOptions } from './asked.ts';
import { pageOf } from './sections.ts';

export async function compare(
  context: Context,
  runs: readonly RunReference[],
  options: CompareOptions,
): Promise<number> {
  requireOneForm(context, options.format);
  const asked = askedFor(runs, options);
  return await withLedgerToAnswer(context, async (ledger) => {
    const told = await compared(ledger, asked);
    if (context.flags.json) await context.printJson(told);
    else if (options.format === 'md') await context.print(markdownText(pageOf(context, told)));
    else {
      await context.print(terminalText(context, pageOf(context, told)));
      await sayNext(context, told);
    }
    return 0;
  });
}

/** Of two runs, what was redesigned otherwise is the next question. */
async function sayNext(context: Context, { runs: [one, other, ...more] }: Compared): Promise<void> {
  if (one === undefined || other === undefined || more.length > 0 || one.stage === null || other.stage === null) return;
  const [from, to] = [one, other].map(({ run, name, label, stage }) =>
    shellWord(`${label.includes(`(${run})`) ? run : name}@${stage}`),
  );
  await context.hint(`icecore diff ${from} ${to} shows which knobs differ, family by family`);
}

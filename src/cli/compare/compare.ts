// What `icecore compare` does: runs side by side, and how much better one is than another. Runs that cannot be compared are a
// failure, which a script sees by the exit code.
import type { Compared } from '../../../schemas/compare-output.ts';
import { shellWord } from '../../base/shell-word.ts';
import { compareDocument } from '../../library/documents.ts';
import type { RunReference } from '../../library/reference.ts';
import { type CompareOptions, compare as compareRuns } from '../../library/understanding.ts';
import type { Context } from '../context.ts';
import { type AnswerOptions, isVerbose, requireOneForm } from '../output/print.ts';

export async function compare(
  context: Context,
  runs: readonly RunReference[],
  options: CompareOptions & AnswerOptions,
): Promise<number> {
  requireOneForm(context, options);
  const comparison = await compareRuns(context.session, runs, options);
  if (context.flags.json) await context.printJson(comparison);
  else await context.print(await compareDocument(comparison, { verbose: isVerbose(options) }), options);
  if (comparison.sets.length === 0) return 1;
  if (!context.flags.json && options.format !== 'md') await hintDiff(context, comparison);
  return 0;
}

/** Of two runs, what was redesigned otherwise is the next question. */
async function hintDiff(context: Context, { runs: [one, other, ...more] }: Compared): Promise<void> {
  if (one?.run === other?.run && one?.stage === other?.stage) return;
  if (one === undefined || other === undefined || more.length > 0 || one.stage === null || other.stage === null) return;
  const [from, to] = [one, other].map(({ run, name, label, stage }) =>
    shellWord(`${label.includes(`(${run})`) ? run : name}@${stage}`),
  );
  await context.hint(`icecore diff ${from} ${to} shows which knobs differ, family by family`);
}

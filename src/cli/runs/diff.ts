// What `icecore diff` does: shows what differs between two stages.

import { diffDocument } from '../../library/documents.ts';
import type { StageReference } from '../../library/reference.ts';
import { diff as diffOf } from '../../library/understanding.ts';
import type { Context } from '../context.ts';
import { type AnswerOptions, isVerbose, requireOneForm } from '../output/print.ts';

export async function diff(
  context: Context,
  [first, second]: readonly [first: StageReference, second: StageReference | undefined],
  options: AnswerOptions,
): Promise<number> {
  requireOneForm(context, options);
  // The short table shows results that are equal too, beside the knobs that changed.
  const isShort = !context.flags.json && !isVerbose(options);
  const all = isShort || options.verbose === true;
  const result = await diffOf(context.session, first, second, { all });
  if (context.flags.json) await context.printJson(result);
  else await context.print(await diffDocument(result, { verbose: isVerbose(options) }), options);
  return 0;
}

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
  const result = await diffOf(context.session, first, second, { all: options.verbose === true });
  if (context.flags.json) await context.printJson(result);
  else await context.print(await diffDocument(result, { verbose: isVerbose(options) }), options);
  return 0;
}

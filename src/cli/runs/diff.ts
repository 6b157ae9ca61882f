// What `icecore diff` prints: two stages, a table for each kind of thing that differs.

import { diffDocument } from '../../library/documents.ts';
import type { FormatOption } from '../../library/plugins/command.ts';
import type { StageReference } from '../../library/reference.ts';
import { diff as diffOf } from '../../library/understanding.ts';
import type { Context } from '../context.ts';
import { printDocument, requireOneForm } from '../output/print.ts';

interface DiffOptions extends FormatOption {
  readonly verbose?: true;
}

export async function diff(
  context: Context,
  [first, second]: readonly [first: StageReference, second: StageReference | undefined],
  options: DiffOptions,
): Promise<number> {
  requireOneForm(context, options);
  const result = await diffOf(context.session, first, second, { all: options.verbose === true });
  if (context.flags.json) await context.printJson(result);
  else await printDocument(context, await diffDocument(result), options);
  return 0;
}

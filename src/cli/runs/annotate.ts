// What `icecore annotate` prints: where the note was recorded.
import { visible } from '../../base/visible.ts';
import { placeOf } from '../../ledger/event.ts';
import { type AnnotateOptions, annotate as record } from '../../library/experiment/annotate.ts';
import type { RunReference } from '../../library/reference.ts';
import type { Context } from '../context.ts';

export async function annotate(
  context: Context,
  run: RunReference,
  note: string,
  options: AnnotateOptions,
): Promise<number> {
  const result = await record(context.session, run, note, options);
  if (context.flags.json) await context.printJson(result);
  else await context.print(`${result.isNew ? 'noted' : 'noted before'}: ${visible(placeOf(result))}\n`);
  return 0;
}

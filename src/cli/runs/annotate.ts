// What `icecore annotate` prints: where the note was recorded.
import { escapeControls } from '../../base/escape.ts';
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
  else {
    const { isNew, stream, revision } = result;
    await context.print(`${isNew ? 'noted' : 'noted before'}: ${escapeControls(`${stream}@${revision}`)}\n`);
  }
  return 0;
}

// What `icecore lab headroom` does: measures with runs and an ablation, and prints what they show.
import type { RunSettings } from '../../../schemas/run-file.ts';
import { type HeadroomOptions, headroom as measureHeadroom } from '../../library/ablation/headroom.ts';
import { headroomDocument } from '../../library/documents.ts';
import type { FormatOption } from '../../library/plugins/command.ts';
import type { Context } from '../context.ts';
import { requireOneForm } from '../output/print.ts';

export async function headroom(
  context: Context,
  environment: RunSettings['environment'],
  { format, ...options }: HeadroomOptions & FormatOption,
): Promise<number> {
  const form = format === undefined ? {} : { format };
  requireOneForm(context, form);
  const result = await measureHeadroom(context.session, environment, options);
  if (context.flags.json) await context.printJson(result);
  else await context.print(await headroomDocument(result), form);
  return 0;
}

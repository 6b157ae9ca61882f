// What `icecore audit` does: lists all decisions of a run in one table.
import { auditDocument } from '../../library/documents.ts';
import type { FormatOption } from '../../library/plugins/command.ts';
import type { RunReference } from '../../library/reference.ts';
import { audit as auditRun } from '../../library/understanding.ts';
import type { Context } from '../context.ts';
import { requireOneForm } from '../output/print.ts';

export async function audit(context: Context, reference: RunReference, options: FormatOption): Promise<number> {
  requireOneForm(context, options);
  const result = await auditRun(context.session, reference);
  if (context.flags.json) await context.printJson(result);
  else await context.print(await auditDocument(result), options);
  return 0;
}

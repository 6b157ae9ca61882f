// What `icecore redact` does.
import type { RedactResult } from '../../../schemas/output.ts';
import { redact } from '../../producers/trust/redaction.ts';
import { actorOf } from '../actor.ts';
import { blobsUrl, withBlobs } from '../blobs.ts';
import type { Context } from '../context.ts';
import { withLedgerToChange } from '../ledger.ts';
import { counted } from '../output/quantity.ts';
import { table } from '../output/table.ts';
import { visible } from '../output/visible.ts';

export interface RedactOptions {
  readonly reason: string;
  readonly actor?: string;
}

export async function redactEvents(context: Context, ids: readonly string[], options: RedactOptions): Promise<number> {
  const redaction = { ids, reason: options.reason, actor: actorOf(options.actor) };
  return await withLedgerToChange(context, (ledger) =>
    withBlobs(blobsUrl(context), {}, async (blobs) => {
      const { erased, remains } = await redact(ledger, blobs, redaction);
      const result: RedactResult = {
        ledger: ledger.url,
        remains: [...remains],
        as_of: new Date().toISOString(),
        total: erased.length,
        rows: [...erased],
        truncated: false,
      };
      if (context.flags.json) await context.printJson(result);
      else await tell(context, result);
      return remains.length > 0 ? 1 : 0;
    }),
  );
}

async function tell(context: Context, { rows, remains }: RedactResult): Promise<void> {
  const columns = [{ title: '' }, { title: '' }, { title: '' }];
  const lines = rows.map(({ place, field, by, isNew }) => [
    isNew ? 'erased' : 'was erased before',
    visible(`${place} ${field}`),
    visible(`recorded in ${by}`),
  ]);
  await context.print(table(columns, lines, context.io.stdout));
  for (const { place, field } of remains) await context.print(visible(`STAYS: ${place} ${field}`).concat('\n'));
  if (remains.length === 0) return;
  await context.say(`${counted(remains.length, 'text')} stand in the events themselves and cannot be erased.`);
}

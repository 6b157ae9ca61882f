// What `icecore ledger seal` does.
import type { SealResult } from '../../../schemas/output.ts';
import { table } from '../../analysis/document/layout.ts';
import { count, counted } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import { findRun } from '../../ledger/runs.ts';
import { sealStage } from '../../producers/trust/sealing.ts';
import { actorOf } from '../actor.ts';
import type { Context } from '../context.ts';
import { withLedgerToChange } from '../ledger.ts';
import type { StageReference } from '../runs/reference.ts';

export interface SealOptions {
  readonly attempt?: readonly { readonly shard: number; readonly attempt: number }[];
  readonly actor?: string;
}

export async function seal(
  context: Context,
  { run: name, stage }: StageReference,
  options: SealOptions,
): Promise<number> {
  const chosen = new Map(options.attempt?.map(({ shard, attempt }) => [shard, attempt] as const));
  const actor = actorOf(options.actor);
  return await withLedgerToChange(context, async (ledger) => {
    const { run } = await findRun(ledger, name);
    const sealed = await sealStage(ledger, { run, stage, actor, chosen });
    const result: SealResult = { ledger: ledger.url, run, stage, ...sealed, attempts: [...sealed.attempts] };
    if (context.flags.json) await context.printJson(result);
    else await tell(context, result);
    return 0;
  });
}

async function tell(context: Context, { attempts, stream, revision, isNew }: SealResult): Promise<void> {
  const events = attempts.reduce((sum, { count }) => sum + count, 0);
  const what = `${counted(events, 'event')} of ${counted(attempts.length, 'attempt')}`;
  const place = `${stream}@${revision}`;
  const line = isNew ? `sealed ${what}: ${place}` : `${what} were sealed before: ${place}`;
  await context.print(`${visible(line)}\n`);
  const columns = [{ title: 'attempt' }, { title: 'events', align: 'right' as const }, { title: 'root' }];
  const rows = attempts.map((attempt) => [attempt.stream, count(attempt.count), attempt.root]);
  await context.print(table(columns, rows, context.io.stdout));
}

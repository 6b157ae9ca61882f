// What `icecore ledger seal` and `icecore ledger head` do.

import type { SealResult } from '../../../schemas/output.ts';
import { escapeSteering } from '../../base/printable-json.ts';
import { count, counted } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import { table } from '../../document/layout.ts';
import { findRun } from '../../ledger/runs.ts';
import { makeHead, readPrivateKey, signHead } from '../../ledger/seal/head.ts';
import { actorOf } from '../../library/actor.ts';
import { withLedgerToChange, withLedgerToRead } from '../../library/opening/ledger.ts';
import type { StageReference } from '../../library/reference.ts';
import { sealStage } from '../../producers/trust/sealing.ts';
import type { Context } from '../context.ts';
import { Progress } from '../output/progress.ts';
import { readGiven } from './given.ts';

export async function head(context: Context, { sign }: { readonly sign?: string }): Promise<number> {
  const key = sign === undefined ? null : readPrivateKey(readGiven(context, sign), sign);
  return await withLedgerToRead(context.session, async (ledger) => {
    const progress = new Progress(context, 'events');
    try {
      const made = await makeHead(ledger, async (done, of) => {
        context.signal.throwIfAborted();
        await progress.update({ done, of });
      });
      await progress.end();
      const signed = key === null ? made : signHead(made, key);
      await context.print(`${escapeSteering(JSON.stringify(signed, null, context.flags.json ? 0 : 2))}\n`);
    } finally {
      await progress.end();
    }
    return 0;
  });
}

interface SealOptions {
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
  return await withLedgerToChange(context.session, async (ledger) => {
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

// What `icecore seal` does.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { SealResult } from '../../../schemas/output.ts';
import { table } from '../../analysis/document/layout.ts';
import { count, counted } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import { findRun } from '../../ledger/runs.ts';
import { sealStage } from '../../producers/trust/sealing.ts';
import { actorOf } from '../actor.ts';
import type { Context } from '../context.ts';
import { withLedgerToChange } from '../ledger.ts';

export interface SealOptions {
  readonly attempt?: readonly string[];
  readonly actor?: string;
}

export async function seal(context: Context, asked: string, options: SealOptions): Promise<number> {
  const { run: name, stage } = stageAsked(asked);
  const chosen = new Map((options.attempt ?? []).map(choice));
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

function stageAsked(asked: string): { readonly run: string; readonly stage: number } {
  const [, run, stage] = /^(.+)@([1-9][0-9]{0,4})$/.exec(asked) ?? [];
  if (run !== undefined) return { run, stage: Number(stage) };
  throw new IcecoreError('usage', `"${asked}" names no stage`, {
    facts: { found: asked, allowed: 'RUN@STAGE' },
    remedy: 'Write RUN@STAGE, for example latest@1.',
  });
}

function choice(text: string): readonly [shard: number, attempt: number] {
  const [, shard, attempt] = /^(0|[1-9][0-9]{0,8}):(0|[1-9][0-9]{0,8})$/.exec(text) ?? [];
  if (shard !== undefined) return [Number(shard), Number(attempt)];
  throw new IcecoreError('usage', `--attempt: found "${text}", allowed: SHARD:ATTEMPT`, {
    facts: { field: '--attempt', found: text },
    remedy: 'For example 0:3: of shard 0, attempt 3 counts.',
  });
}

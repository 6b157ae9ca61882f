// What `icecore ledger head` does.
import { makeHead, readPrivateKey, signHead } from '../../ledger/seal/head.ts';
import type { Context } from '../context.ts';
import { withLedgerToRead } from '../ledger.ts';
import { escapeSteering } from '../output/json.ts';
import { Progress } from '../output/progress.ts';
import { readGiven } from './kept-head.ts';

export async function head(context: Context, { sign }: { readonly sign?: string }): Promise<number> {
  const key = sign === undefined ? null : readPrivateKey(readGiven(context, sign), sign);
  return await withLedgerToRead(context, async (ledger) => {
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

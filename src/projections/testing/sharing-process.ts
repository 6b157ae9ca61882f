// A process of its own that fills the shards that a group gives it, in small batches, until it is done, stopped by a line, or
// killed. It says a line for each batch, and one when it has filled a shard.
import { once } from 'node:events';
import { openLedger } from '../../ledger/open.ts';
import { fillShards } from '../shards/filling.ts';

const [, , url = '', group = '', folder = '', events = '10'] = process.argv;
const ledger = await openLedger(url, { readOnly: true });
const leaving = new AbortController();
void once(process.stdin, 'data').then(() => leaving.abort());
try {
  const member = fillShards(ledger, {
    group,
    folder,
    follow: true,
    signal: leaving.signal,
    limits: { events: Number(events), characters: 1_000_000_000 },
    progress: (shard, known) => void process.stdout.write(`batch ${shard} ${known}\n`),
  });
  for await (const { shard, events: known } of member) process.stdout.write(`filled ${shard} ${known}\n`);
} catch (error) {
  if (!leaving.signal.aborted) throw error;
}
await ledger.close();
process.stdin.destroy();

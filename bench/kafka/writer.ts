// A process of its own that appends rollouts as fast as it can, and says after each batch how many there are.
import { openLedger } from '../../src/ledger/open.ts';
import { peakMiB } from '../million.ts';
import { rollouts, stream } from '../rollouts.ts';
import type { Progress } from './burst.ts';

const batch = 1000;

const [, , url = '', count = ''] = process.argv;
const ledger = await openLedger(url);
for (let at = 0; at < Number(count); at += batch) {
  await ledger.append(stream, rollouts(at, batch, 'own'), { expect: 'any' });
  console.log(JSON.stringify({ events: at + batch, peakMiB: peakMiB() } satisfies Progress));
}
await ledger.close();

// A process of its own that keeps tables up to date and says after each time how far they are.
import { openLedger } from '../../src/ledger/open.ts';
import { follow } from '../../src/projections/projector/follow.ts';
import { peakMiB } from '../million.ts';
import type { Progress } from './burst.ts';

const [, , url = '', tables = ''] = process.argv;
const ledger = await openLedger(url);
for await (const { events } of follow(ledger, tables, {})) {
  console.log(JSON.stringify({ events, peakMiB: peakMiB() } satisfies Progress));
}

// A separate process that appends until it is done or killed, and prints each acknowledgement on standard output, one line per
// append: `<revision> <first index> <count>`. Its task is given as a JSON argument.
import { WrongRevision } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { noteIn, report, rolloutIn } from './samples.ts';

export interface Orders {
  readonly url: string;
  readonly stream: string;
  /** Indices of the events it appends, from (inclusive) to (exclusive). */
  readonly from: number;
  readonly to: number;
  readonly batch: number;
  /** `append` accepts any end; `race` expects the exact revision and reads again after a conflict. */
  readonly mode: 'append' | 'race';
}

const orders = JSON.parse(process.argv[2] ?? '{}') as Orders;
const make = orders.stream.startsWith('notes-') ? noteIn : rolloutIn;
const ledger = await openLedger(orders.url);
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
process.stdin.unref();

for (let index = orders.from; index < orders.to; index += orders.batch) {
  const count = Math.min(orders.batch, orders.to - index);
  const events = Array.from({ length: count }, (_, i) => make(orders.stream, index + i));
  const revision =
    orders.mode === 'append'
      ? (await ledger.append(orders.stream, events, { expect: 'any' })).revision
      : await race(ledger, events);
  process.stdout.write(`${revision} ${index} ${count}\n`);
}
if (orders.stream.startsWith('evidence-')) await report(ledger, orders.stream);
await ledger.close();

async function race(ledger: Ledger, events: ReturnType<typeof noteIn>[]): Promise<number> {
  let expected = -1;
  for (;;) {
    try {
      return (await ledger.append(orders.stream, events, { expect: expected })).revision;
    } catch (error) {
      if (!(error instanceof WrongRevision)) throw error;
      expected = error.actual;
    }
  }
}

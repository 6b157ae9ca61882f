// Killing a writer in the middle of its work and holding the ledger to what the writer had been told.
import { expect } from 'vitest';
import type { Ledger } from '../ledger.ts';
import { collect } from './fixture.ts';
import { rolloutIn } from './samples.ts';
import { startTogether } from './writers.ts';

/** How many acknowledgements a writer gets before it is killed, at most. */
const latest = 60;

/** `moment` from 0 to 1 says how far into its work the writer is killed. Returns how many events were acknowledged. */
export async function killOnce(ledger: Ledger, stream: string, moment: number): Promise<number> {
  const orders = { url: ledger.url, stream, from: 0, to: 1_000_000, batch: 1 + Math.floor(moment * 40) };
  const [writer] = await startTogether([{ ...orders, manner: 'append' }]);
  if (writer === undefined) throw new Error('no writer was started');
  const killAfter = Math.floor(moment * latest) * orders.batch;
  for await (const delivery of ledger.subscribe({ streams: [stream] })) {
    const last = delivery.kind === 'events' ? delivery.events.at(-1) : undefined;
    if ((last?.revision ?? -1) >= killAfter) break;
  }
  writer.kill();
  await writer.ended();
  const stored = (await collect(ledger.read(stream))).map((event) => event.id);
  const acknowledged = writer.indices();
  expect(stored.length).toBeGreaterThanOrEqual(acknowledged.length);
  expect(stored.length % orders.batch).toBe(0);
  expect(stored).toEqual(stored.map((_, index) => rolloutIn(stream, index).id));
  return acknowledged.length;
}

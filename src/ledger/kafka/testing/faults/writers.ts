// Writers that die, or sleep while another takes their place.
import { streamOf } from '../../../../../schemas/streams.ts';
import { collect } from '../../../contract/fixture.ts';
import type { Orders } from '../../../contract/writer-process.ts';
import { startTogether, type Writer } from '../../../contract/writers.ts';
import type { FaultBench } from './bench.ts';
import type { Drawn } from './fault.ts';
import { eventsIn, look } from './look.ts';

const appendsAtMost = 20;
/** More than any of them comes to. */
const endless = 10_000_000;

/** Killed when the broker has what it sent and it does not know; another process sends everything again. */
export async function killedBeforeTold(bench: FaultBench, drawn: Drawn): Promise<readonly string[]> {
  const url = await bench.fresh();
  const stream = drawn('stream') < 0.5 ? streamOf.evidence('killed', 1, 0, 0) : streamOf.notes('killed');
  const orders: Orders = { url, stream, from: 0, to: endless, batch: 11, manner: 'append' };
  const proxy = await bench.own.proxy(0);
  try {
    const writer = await started({ ...orders, url: bench.by(proxy.address, url) });
    await writer.reaches(1 + Math.floor(drawn('moment') * appendsAtMost));
    await proxy.holdAnswer('produce');
    writer.kill();
    await writer.ended();
    const to = writer.indices().length + 2 * orders.batch;
    const successor = await started({ ...orders, to, batch: 7 });
    await successor.ended();
    return await look(bench, url, { acknowledged: new Map([[stream, to]]) });
  } finally {
    await proxy.close();
  }
}

/** What it had on its way arrives when the stream is another's, and then it goes on as if nothing had happened. */
export async function asleepWhileTakenOver(bench: FaultBench, drawn: Drawn): Promise<readonly string[]> {
  const url = await bench.fresh();
  const stream = streamOf.evidence('asleep', 1, 0, 0);
  const proxy = await bench.own.proxy(0);
  const by = bench.by(proxy.address, url);
  try {
    const writer = await started({ url: by, stream, from: 0, to: endless, batch: 40, manner: 'append' });
    await writer.reaches(1 + Math.floor(drawn('moment') * appendsAtMost));
    proxy.silence();
    writer.pause();
    const successor = await bench.open(url);
    const next = (await collect(successor.read(stream))).length;
    await successor.append(stream, eventsIn(stream, next, 5), { expect: 'any' });
    proxy.flow();
    writer.resume();
    const said = await writer.ended().then(
      () => 'that it has written all',
      (error: Error) => error.message,
    );
    await successor.append(stream, eventsIn(stream, next + 5, 5), { expect: 'any' });
    const faults = await look(bench, url, {
      acknowledged: new Map([[stream, next + 10]]),
      told: [/does not count, and is nowhere else/],
    });
    const learned = said.includes('another writer has taken it over') ? [] : [`the writer says ${said}`];
    const lied =
      writer.indices().length > next ? [`of ${next} events the writer was told ${writer.indices().length}`] : [];
    return [...faults, ...learned, ...lied];
  } finally {
    await bench.closeLedgers();
    await proxy.close();
  }
}

async function started(orders: Orders): Promise<Writer> {
  const [writer] = await startTogether([orders]);
  if (writer === undefined) throw new Error('no writer was started');
  return writer;
}

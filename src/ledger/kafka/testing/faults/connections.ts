// Connections that break between a request and its answer, while a ledger is written, read, followed and projected.
import type { Api } from '../proxy.ts';
import type { FaultBench } from './bench.ts';
import type { Drawn } from './fault.ts';
import { look } from './look.ts';
import { Traffic } from './traffic.ts';

const betweenAtMost = 80;

/** Each in turn: the broker has not heard of it, or has done it and the client does not know. */
const cuts: readonly (readonly [Api, 'request' | 'answer'])[] = [
  ['produce', 'answer'],
  ['metadata', 'answer'],
  ['fetch', 'answer'],
  ['produce', 'request'],
  ['metadata', 'request'],
  ['fetch', 'request'],
];

export async function connectionsCut(bench: FaultBench, drawn: Drawn): Promise<readonly string[]> {
  const url = await bench.fresh();
  const proxy = await bench.own.proxy(0);
  try {
    const traffic = await Traffic.start(bench, bench.by(proxy.address, url));
    for (const [api, lost] of cuts) {
      await traffic.advances(1 + drawn(`${api} ${lost}`) * betweenAtMost);
      const cut = proxy.cutAt(lost, api);
      // Who leads is asked only by those whose connection broke.
      if (api === 'metadata') proxy.cut();
      await traffic.during(cut);
    }
    await traffic.advances(betweenAtMost);
    const faults = await traffic.end();
    return [...faults, ...(await look(bench, url, traffic))];
  } finally {
    await bench.closeLedgers();
    await proxy.close();
  }
}

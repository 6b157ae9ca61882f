// A ledger in EventStoreDB compared with the client alone, on the test server: appends in batches and one by one, and reads.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { inFolder } from '../folder.ts';
import { type Contender, type Measured, Stopwatch, sideBySide, timed } from '../measure.ts';
import { type Report, rateLine, ratioLine } from '../report.ts';
import { rollouts, stream } from '../rollouts.ts';
import { Bare, eventsOf } from './bare.ts';
import { type Server, startServer } from './server.ts';

const rounds = 7;
const target = 0.7;

export async function eventStoreBench(): Promise<readonly Report[]> {
  return await inFolder(async (folder) => {
    process.env['ICECORE_CACHE'] = join(folder, 'cache');
    const server = await startServer();
    try {
      const batches = await appendReport(server, 500, 10_000);
      const single = await appendReport(server, 1, 500);
      return [batches, single, await readReport(server, 50_000)];
    } finally {
      await server.stop();
    }
  });
}

const name = (): string => `bench_${randomBytes(4).toString('hex')}`;
const at = ({ address }: Server, prefix: string): string => `esdb://${address}/${prefix}?tls=false`;

async function appendReport(server: Server, batch: number, each: number): Promise<Report> {
  const bare = new Bare(server.address);
  const ledger = await openLedger(at(server, name()), { create: true });
  const own = name();
  const contenders: Contender[] = [
    {
      name: 'bare',
      run: (round) =>
        inBatches(round * each, each, batch, (from, watch) => {
          const events = eventsOf(from, batch);
          return watch.time(() => bare.append(own, from - 1, events));
        }),
    },
    {
      name: 'icecore',
      run: (round) => inBatches(round * each, each, batch, (from, watch) => ours(ledger, from, batch, watch)),
    },
  ];
  const [alone, icecore] = (await sideBySide(contenders, rounds)) as [Measured, Measured];
  await bare.close();
  await ledger.close();
  return {
    title: `EventStoreDB, append ${batch === 1 ? 'one by one' : `in batches of ${batch}`}`,
    lines: [
      rateLine('the client alone', alone.perSecond),
      rateLine('icecore', icecore.perSecond),
      ratioLine('ratio', icecore.ratio, target),
    ],
    data: { batch, bare: alone.perSecond, icecore: icecore.perSecond, ratio: icecore.ratio },
  };
}

/** Includes work that the client alone does not do: checking, canonical JSON and hashing. */
async function ours(ledger: Ledger, from: number, batch: number, watch: Stopwatch): Promise<void> {
  const events = rollouts(from, batch, 'own');
  await watch.time(() => ledger.append(stream, events, { expect: 'any' }));
}

async function inBatches(
  from: number,
  each: number,
  batch: number,
  one: (from: number, watch: Stopwatch) => Promise<void>,
): Promise<{ units: number; milliseconds: number }> {
  const watch = new Stopwatch();
  for (let at = from; at < from + each; at += batch) await one(at, watch);
  return { units: each, milliseconds: watch.milliseconds };
}

async function readReport(server: Server, events: number): Promise<Report> {
  const prefix = name();
  const ledger = await openLedger(at(server, prefix), { create: true });
  for (let from = 0; from < events; from += 500)
    await ledger.append(stream, rollouts(from, 500, 'own'), { expect: 'any' });
  await ledger.close();
  const bare = new Bare(server.address);
  const contenders: Contender[] = [
    { name: 'bare', run: () => timed(() => bare.read(`${prefix}.${stream}`)) },
    { name: 'stream', run: () => timed(() => readStream(at(server, prefix))) },
    { name: 'everything', run: () => timed(() => readAll(at(server, prefix))) },
  ];
  const [alone, ofStream, everything] = (await sideBySide(contenders, 5)) as [Measured, Measured, Measured];
  await bare.close();
  return {
    title: `EventStoreDB, ${events.toLocaleString('en')} events of 1 KB read`,
    lines: [
      rateLine('the client alone, a stream', alone.perSecond),
      rateLine('a stream', ofStream.perSecond),
      rateLine('everything', everything.perSecond),
      ratioLine('a stream, compared with the client alone', ofStream.ratio, target),
      ratioLine('everything, compared with the client alone', everything.ratio, target),
    ],
    data: {
      events,
      bare: alone.perSecond,
      stream: ofStream.perSecond,
      everything: everything.perSecond,
      ratio: ofStream.ratio,
    },
  };
}

async function readStream(url: string): Promise<number> {
  return await countedIn(url, (ledger) => ledger.read(stream));
}

async function readAll(url: string): Promise<number> {
  return await countedIn(url, (ledger) => ledger.readAll());
}

async function countedIn(url: string, read: (ledger: Ledger) => AsyncIterable<readonly unknown[]>): Promise<number> {
  const ledger = await openLedger(url, { readOnly: true });
  let events = 0;
  for await (const page of read(ledger)) events += page.length;
  await ledger.close();
  return events;
}

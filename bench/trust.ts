// The cost of trust: verifying compared with hashing alone, sealing compared with appending alone, copying compared with appending, and the memory
// to verify and copy a million events.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { openLedger } from '../src/ledger/open.ts';
import { AttemptTree } from '../src/ledger/seal/attempt.ts';
import { verifyLedger } from '../src/ledger/verify/verify.ts';
import { inFolder } from './folder.ts';
import { hashPart, type Part } from './hashing-thread.ts';
import { type Done, type Measured, Stopwatch, sideBySide, timed } from './measure.ts';
import { child, peak } from './million.ts';
import { cpuRatioLine, type Line, type Report, rateLine, ratioLine } from './report.ts';
import { rollouts, stream } from './rollouts.ts';

const events = Number(process.env['ICECORE_BENCH_EVENTS'] ?? 1_000_000);
const batch = 1000;

export function verifyBench(): Promise<Report[]> {
  return inFolder(async (folder) => {
    const path = join(folder, 'ledger.db');
    child('append', path, events);
    const everything = { blobs: null, run: null, head: null };
    const measured = await sideBySide(
      [
        { name: 'one thread', run: () => timed(() => hashPart({ path, after: 0, until: events })) },
        { name: 'two threads', run: () => timed(() => hashOnTwo(path)) },
        {
          name: 'icecore',
          run: () => timed(async () => (await verifyLedger(`sqlite:${path}`, everything)).tally.events),
        },
      ],
      3,
    );
    const verified = child('verify', path, events);
    const copied = child('copy', path, events);
    return [verifyReport(measured as [Measured, Measured, Measured]), memoryReport(verified, copied)];
  });
}

function verifyReport([one, two, ours]: readonly [Measured, Measured, Measured]): Report {
  const toTwo = Math.round((ours.perSecond / two.perSecond) * 100) / 100;
  const lines: Line[] = [
    rateLine('node:crypto hashing alone, one thread', one.perSecond),
    rateLine('node:crypto hashing alone, two threads', two.perSecond),
    rateLine('icecore verify, all checks', ours.perSecond),
    ratioLine('ratio to one thread', ours.ratio, 0.5),
    cpuRatioLine(ours),
    { what: 'ratio to two threads', value: toTwo.toFixed(2), target: '', met: null },
  ];
  const data = {
    one: one.perSecond,
    two: two.perSecond,
    icecore: ours.perSecond,
    ratio: ours.ratio,
    cpuRatio: ours.cpuRatio,
    toTwo,
  };
  return { title: `verifying ${events.toLocaleString('en')} events`, lines, data };
}

function memoryReport(verified: ReturnType<typeof child>, copied: ReturnType<typeof child>): Report {
  const rate = ({ events: done, seconds }: typeof copied): number => done / seconds;
  return {
    title: `${events.toLocaleString('en')} events, each in a separate process`,
    lines: [
      peak('peak memory, verifying', verified),
      rateLine('verified', rate(verified)),
      peak('peak memory, copying', copied),
      rateLine('copied and proven equal', rate(copied)),
    ],
    data: { verified, copied },
  };
}

async function hashOnTwo(path: string): Promise<number> {
  const middle = Math.ceil(events / 2);
  const parts: Part[] = [
    { path, after: 0, until: middle },
    { path, after: middle, until: events },
  ];
  const done = await Promise.all(parts.map(inThread));
  return done.reduce((sum, count) => sum + count, 0);
}

function inThread(part: Part): Promise<number> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./hashing-thread.ts', import.meta.url), { workerData: part });
    thread.once('message', resolve);
    thread.once('error', reject);
  });
}

export function sealBench(): Promise<Report[]> {
  return inFolder(async (folder) => {
    const count = 40_000;
    const warming = 30_000;
    const ledgers = await Promise.all(
      ['plain', 'sealed'].map((name) => openLedger(`sqlite:${join(folder, `${name}.db`)}`, { create: true })),
    );
    const [plain, sealed] = ledgers as [(typeof ledgers)[0], (typeof ledgers)[0]];
    const append = async (ledger: typeof plain, from: number, tree: AttemptTree | null): Promise<Done> => {
      const watch = new Stopwatch();
      for (let i = from; i < from + count; i += batch) {
        const some = rollouts(i, batch);
        await watch.time(async () => {
          const appended = await ledger.append(stream, some, { expect: 'any' });
          tree?.appended(appended);
        });
      }
      await watch.time(() => tree?.seal());
      return watch.done(count);
    };
    for (const ledger of ledgers) {
      for (let i = 0; i < warming; i += batch) await ledger.append(stream, rollouts(i, batch), { expect: 'any' });
    }
    const tree = new AttemptTree(sealed, stream);
    await tree.seal();
    const [alone, both] = (await sideBySide(
      [
        { name: 'append', run: (round) => append(plain, warming + round * count, null) },
        { name: 'append and seal', run: (round) => append(sealed, warming + round * count, tree) },
      ],
      7,
    )) as [Measured, Measured];
    for (const ledger of ledgers) await ledger.close();
    const lines = [
      rateLine('append', alone.perSecond),
      rateLine('append and seal', both.perSecond),
      ratioLine('ratio', both.ratio, 0.9),
    ];
    return [
      {
        title: `sealing, batches of ${batch}`,
        lines,
        data: { append: alone.perSecond, sealed: both.perSecond, ratio: both.ratio },
      },
    ];
  });
}

export function copyBench(): Promise<Report[]> {
  return inFolder(async (folder) => {
    const count = 100_000;
    const { copyAll } = await import('./copying.ts');
    const original = join(folder, 'original.db');
    child('append', original, count);
    const [append, copy] = (await sideBySide(
      [
        {
          name: 'append',
          run: async (round) => {
            const { seconds, events: done } = child('append', join(folder, `append-${round}.db`), count);
            return { units: done, milliseconds: seconds * 1000 };
          },
        },
        { name: 'copy', run: (round) => timed(() => copyAll(original, join(folder, `copy-${round}.db`))) },
      ],
      3,
    )) as [Measured, Measured];
    const lines = [
      rateLine('append, making the events included', append.perSecond),
      rateLine('copy, proof included', copy.perSecond),
      ratioLine('ratio', copy.ratio, 0.6),
    ];
    return [
      {
        title: `copying ${count.toLocaleString('en')} events`,
        lines,
        data: { append: append.perSecond, copy: copy.perSecond, ratio: copy.ratio },
      },
    ];
  });
}

// The store compared with its upper bound: appending in batches and one by one, and reading everything, against raw node:sqlite with the same
// bytes.
import { join } from 'node:path';
import type { Ledger } from '../src/ledger/ledger.ts';
import { openLedger } from '../src/ledger/open.ts';
import type { StoredEvent } from '../src/ledger/stored.ts';
import { inFolder } from './folder.ts';
import { type Contender, type Done, type Measured, Stopwatch, sideBySide, timed } from './measure.ts';
import { RawTable, type Row, rowsOf } from './raw.ts';
import { cpuRatioLine, type Report, rateLine, ratioLine, withTargets } from './report.ts';
import { type IdKind, rollouts, stream } from './rollouts.ts';

const rounds = 7;
const batch = 1000;
/** Events per round. */
const inBatches = 40_000;
const oneByOne = 1500;
/** Written before the first round, so that both logs have their full length: a growing log is limited by the disk. */
const warming = 30_000;
const toRead = 200_000;

/** Everything with an upper bound in a bare library, with a table of the ratios. */
export async function ledgerBench(): Promise<Report[]> {
  const { verifyBench } = await import('./trust.ts');
  const reports: Report[] = [];
  for (const bench of [appendBench, singleBench, readBench, verifyBench]) reports.push(...(await bench()));
  return [...reports, withTargets('the ledger compared with the bare library', reports)];
}

export function appendBench(): Promise<Report[]> {
  return inFolder(async (folder) => {
    const title = `durable append, batches of ${batch}`;
    return [
      await appendReport(`${title}, ids of icecore`, 0.55, await contenders(folder, 'own', inBatches, batch)),
      await appendReport(`${title}, random ids`, 0.55, await contenders(folder, 'random', inBatches, batch)),
    ];
  });
}

export function singleBench(): Promise<Report[]> {
  return inFolder(async (folder) => [
    await appendReport('durable append, one by one', 0.8, await contenders(folder, 'own', oneByOne, 1)),
  ]);
}

/** Both write the same rollouts into a file each; icecore prepares the raw rows. */
async function contenders(folder: string, ids: IdKind, count: number, size: number): Promise<Contender[]> {
  const prepared = await openLedger(`sqlite:${join(folder, `rows-${ids}.db`)}`, { create: true });
  await appendAll(prepared, 0, warming + count * rounds, batch, ids);
  await prepared.close();
  const rows = rowsOf(join(folder, `rows-${ids}.db`));
  const raw = new RawTable(join(folder, `raw-${ids}.db`));
  const ledger = await openLedger(`sqlite:${join(folder, `icecore-${ids}.db`)}`, { create: true });
  await insertAll(raw, rows, 0, warming, batch, ids);
  await appendAll(ledger, 0, warming, batch, ids);
  return [
    { name: 'raw', run: (round) => insertAll(raw, rows, warming + round * count, count, size, ids) },
    { name: 'icecore', run: (round) => appendAll(ledger, warming + round * count, count, size, ids) },
  ];
}

async function appendAll(ledger: Ledger, from: number, count: number, size: number, ids: IdKind): Promise<Done> {
  const watch = new Stopwatch();
  for (let i = from; i < from + count; i += size) {
    const events = rollouts(i, size, ids);
    await watch.time(() => ledger.append(stream, events, { expect: 'any' }));
  }
  return watch.done(count);
}

/** Also makes and discards the same events, so that both contenders have the same conditions. */
async function insertAll(
  table: RawTable,
  rows: readonly Row[],
  from: number,
  count: number,
  size: number,
  ids: IdKind,
): Promise<Done> {
  const watch = new Stopwatch();
  for (let i = from; i < from + count; i += size) {
    rollouts(i, size, ids);
    const some = rows.slice(i, i + size);
    await watch.time(() => table.append(some));
  }
  return watch.done(count);
}

async function appendReport(title: string, target: number, both: readonly Contender[]): Promise<Report> {
  const [raw, ours] = (await sideBySide(both, rounds)) as [Measured, Measured];
  return {
    title,
    lines: [
      rateLine('raw node:sqlite', raw.perSecond),
      rateLine('icecore', ours.perSecond),
      ratioLine('ratio', ours.ratio, target),
      cpuRatioLine(ours),
    ],
    data: { raw: raw.perSecond, icecore: ours.perSecond, ratio: ours.ratio, cpuRatio: ours.cpuRatio },
  };
}

export function readBench(): Promise<Report[]> {
  return inFolder(async (folder) => {
    const path = join(folder, 'ledger.db');
    const ledger = await openLedger(`sqlite:${path}`, { create: true });
    await appendAll(ledger, 0, toRead, batch, 'own');
    const raw = new RawTable(path, 'existing');
    const measured = await sideBySide(
      [
        { name: 'raw rows', run: () => timed(() => raw.iterate()) },
        { name: 'events', run: () => timed(() => read(ledger, (event) => event.body)) },
        { name: 'events, parsed', run: () => timed(() => read(ledger, (event) => event.envelope)) },
      ],
      rounds,
    );
    await ledger.close();
    raw.close();
    return [readReport(measured as [Measured, Measured, Measured])];
  });
}

async function read(ledger: Ledger, look: (event: StoredEvent) => unknown): Promise<number> {
  let events = 0;
  for await (const page of ledger.readAll()) for (const event of page) if (look(event) !== undefined) events++;
  return events;
}

function readReport([rows, events, parsed]: readonly [Measured, Measured, Measured]): Report {
  return {
    title: 'sequential read of everything',
    lines: [
      rateLine('raw node:sqlite rows', rows.perSecond),
      rateLine('icecore events', events.perSecond),
      ratioLine('ratio', events.ratio, 0.7),
      cpuRatioLine(events),
      rateLine('icecore events, every body parsed', parsed.perSecond),
    ],
    data: {
      raw: rows.perSecond,
      icecore: events.perSecond,
      ratio: events.ratio,
      cpuRatio: events.cpuRatio,
      parsed: parsed.perSecond,
    },
  };
}

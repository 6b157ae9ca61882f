// The store against its ceiling: appends in batches and one by one, and reading everything, beside raw node:sqlite doing
// the same with the same bytes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewEvent } from '../schemas/envelope.ts';
import type { Ledger } from '../src/ledger/ledger.ts';
import { openLedger } from '../src/ledger/open.ts';
import { type Contender, type Measured, sideBySide } from './measure.ts';
import { RawTable, type Row, rowsOf } from './raw.ts';
import { type Report, rateLine, ratioLine } from './report.ts';
import { type IdKind, rollouts, stream } from './rollouts.ts';

const batch = 1000;
const rounds = 7;
/** Appends of one round, in batches. */
const bulk = 40_000;
const singles = 600;

export async function ledgerBench(): Promise<Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-bench-'));
  try {
    const reports = [await appendBench(folder, 'own'), await appendBench(folder, 'random')];
    return [...reports, await singleBench(folder), await readBench(folder)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function appendAll(ledger: Ledger, events: readonly NewEvent[], size: number): Promise<number> {
  for (let i = 0; i < events.length; i += size) {
    await ledger.append(stream, events.slice(i, i + size), { expect: 'any' });
  }
  return events.length;
}

function insertAll(table: RawTable, rows: readonly Row[], size: number): number {
  for (let i = 0; i < rows.length; i += size) table.append(rows.slice(i, i + size));
  return rows.length;
}

/** Both write the same rounds of rollouts into one growing file each; the raw rows are made beforehand, by icecore. */
async function contenders(
  folder: string,
  name: string,
  ids: IdKind,
  count: number,
  size: number,
): Promise<Contender[]> {
  const prepared = await openLedger(`sqlite:${join(folder, `${name}-rows.db`)}`, { create: true });
  await appendAll(prepared, rollouts(0, count * rounds, ids), batch);
  await prepared.close();
  const rows = rowsOf(join(folder, `${name}-rows.db`));
  const raw = new RawTable(join(folder, `${name}-raw.db`));
  const ledger = await openLedger(`sqlite:${join(folder, `${name}.db`)}`, { create: true });
  const given = Array.from({ length: rounds }, (_, round) => rollouts(round * count, count, ids));
  return [
    { name: 'raw', run: (round) => insertAll(raw, rows.slice(round * count, (round + 1) * count), size) },
    { name: 'icecore', run: (round) => appendAll(ledger, given[round] ?? [], size) },
  ];
}

async function appendBench(folder: string, ids: IdKind): Promise<Report> {
  const measured = await sideBySide(await contenders(folder, `bulk-${ids}`, ids, bulk, batch), rounds);
  const [raw, ours] = measured as [Measured, Measured];
  return {
    title: `durable append, batches of ${batch}, ${ids} ids`,
    lines: [
      rateLine('raw node:sqlite', raw.perSecond),
      rateLine('icecore', ours.perSecond),
      ratioLine('ratio', ours.ratio, 0.5),
    ],
    data: { batch, ids, raw: raw.perSecond, icecore: ours.perSecond, ratio: ours.ratio },
  };
}

async function singleBench(folder: string): Promise<Report> {
  const measured = await sideBySide(await contenders(folder, 'single', 'own', singles, 1), rounds);
  const [raw, ours] = measured as [Measured, Measured];
  return {
    title: 'durable append, one by one',
    lines: [
      rateLine('raw node:sqlite', raw.perSecond),
      rateLine('icecore', ours.perSecond),
      ratioLine('ratio', ours.ratio, 0.8),
    ],
    data: { raw: raw.perSecond, icecore: ours.perSecond, ratio: ours.ratio },
  };
}

async function readBench(folder: string): Promise<Report> {
  const path = join(folder, 'bulk-own.db');
  const ledger = await openLedger(`sqlite:${path}`);
  const raw = new RawTable(join(folder, 'bulk-own-raw.db'), 'existing');
  const read = async (
    look: (event: { readonly body: string; readonly envelope: unknown }) => unknown,
  ): Promise<number> => {
    let events = 0;
    for await (const page of ledger.readAll()) for (const event of page) if (look(event) !== undefined) events++;
    return events;
  };
  const measured = await sideBySide(
    [
      { name: 'raw rows', run: () => raw.iterate() },
      { name: 'events', run: () => read((event) => event.body) },
      { name: 'events, parsed', run: () => read((event) => event.envelope) },
    ],
    rounds,
  );
  await ledger.close();
  raw.close();
  const [rows, events, parsed] = measured as [Measured, Measured, Measured];
  return {
    title: 'sequential read of everything',
    lines: [
      rateLine('raw node:sqlite rows', rows.perSecond),
      rateLine('icecore events', events.perSecond),
      ratioLine('ratio', events.ratio, 0.7),
      rateLine('icecore events, every body parsed', parsed.perSecond),
    ],
    data: { raw: rows.perSecond, icecore: events.perSecond, ratio: events.ratio, parsed: parsed.perSecond },
  };
}

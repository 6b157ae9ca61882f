// Appending as a ledger grows: the rate of every 100,000 events up to three million, with icecore's ids, which are adjacent, and with random
// ones. Ratios are also given for processor time, because other programs and the disk affect the rate.
import { join } from 'node:path';
import { openLedger } from '../src/ledger/open.ts';
import { inFolder } from './folder.ts';
import { median } from './measure.ts';
import type { Line, Report } from './report.ts';
import { type IdKind, rollouts, stream } from './rollouts.ts';

const events = Number(process.env['ICECORE_BENCH_EVENTS'] ?? 3_000_000);
const batch = 1000;
const rangeEvents = 100_000;

/** The last ranges relative to the first one. */
const target = 0.6;
/** A single range may coincide with a checkpoint or another program, so the end is the median of several. */
const lastRanges = 5;

interface Range {
  readonly perSecond: number;
  /** Of processor time, on all threads. */
  readonly perCpuSecond: number;
}

export async function largeBench(): Promise<Report[]> {
  return [await growing('own', 'ids of icecore'), await growing('random', 'random ids')];
}

async function growing(ids: IdKind, title: string): Promise<Report> {
  const ranges = await inFolder((folder) => appendUpTo(join(folder, 'ledger.db'), ids));
  const first = ranges[0] as Range;
  const last = ranges.slice(-lastRanges);
  const ratio = median(last.map(({ perSecond }) => perSecond)) / first.perSecond;
  const cpuRatio = median(last.map(({ perCpuSecond }) => perCpuSecond)) / first.perCpuSecond;
  return {
    title: `appending ${events.toLocaleString('en')} events in batches of ${batch}, ${title}`,
    lines: [
      ...ranges.map(line),
      { what: 'last to first', value: ratio.toFixed(2), target: `at least ${target}`, met: ratio >= target },
      { what: 'the same in processor time', value: cpuRatio.toFixed(2), target: '', met: null },
    ],
    data: { ids, ratio, cpuRatio, ranges },
  };
}

async function appendUpTo(path: string, ids: IdKind): Promise<readonly Range[]> {
  const ledger = await openLedger(`sqlite:${path}`, { create: true });
  await ledger.append(stream, rollouts(events, batch, ids), { expect: 'any' });
  const found: Range[] = [];
  for (let from = 0; from < events; from += rangeEvents) {
    let [wall, cpu] = [0, 0];
    for (let i = from; i < from + rangeEvents; i += batch) {
      const some = rollouts(i, batch, ids);
      const [started, used] = [performance.now(), process.cpuUsage()];
      await ledger.append(stream, some, { expect: 'any' });
      const { user, system } = process.cpuUsage(used);
      wall += performance.now() - started;
      cpu += (user + system) / 1000;
    }
    found.push({
      perSecond: Math.round((rangeEvents / wall) * 1000),
      perCpuSecond: Math.round((rangeEvents / cpu) * 1000),
    });
  }
  await ledger.close();
  return found;
}

function line({ perSecond, perCpuSecond }: Range, index: number): Line {
  const until = ((index + 1) * rangeEvents).toLocaleString('en');
  const value = `${perSecond.toLocaleString('en')}/s`;
  return { what: `up to ${until} (${perCpuSecond.toLocaleString('en')} per CPU second)`, value, target: '', met: null };
}

// What tables of a long history cost. The history is invented: as many rollouts as ICECORE_BENCH_ROLLOUTS says.
import { join } from 'node:path';
import { inFolder } from '../folder.ts';
import { type Report, rateLine } from '../report.ts';
import { askingReport } from './asking.ts';
import { Histories, type Made } from './histories.ts';
import { loadingReport } from './loading.ts';

const rollouts = Number(process.env['ICECORE_BENCH_ROLLOUTS'] ?? 1_000_000);

export function projectionBench(): Promise<Report[]> {
  return inFolder(async (folder) => {
    const made = await new Histories(folder).of(rollouts);
    const loading = await loadingReport(made, folder);
    return [historyReport(made), loading, await askingReport(made, join(folder, 'tables'))];
  });
}

/** Not measured against anything: it says what the numbers after it are about. */
function historyReport(made: Made): Report {
  const { events, bytes, seconds, peakMiB } = made;
  const plain = (what: string, value: string) => ({ what, value, target: '', met: null });
  return {
    title: `an invented history of ${made.rollouts.toLocaleString('en')} rollouts`,
    lines: [
      plain('events', events.toLocaleString('en')),
      plain('on disk', `${Math.round(bytes / 1e6).toLocaleString('en')} MB`),
      rateLine('made, in events', events / seconds),
      plain('peak memory of who made it', `${peakMiB} MiB`),
    ],
    data: { rollouts: made.rollouts, events, bytes, seconds, peakMiB },
  };
}

// The cost of tables for a long history, which is generated with ICECORE_BENCH_ROLLOUTS rollouts.
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

/** Describes the history of the following measurements. */
function historyReport(made: Made): Report {
  const { events, bytes, seconds, peakMiB } = made;
  const plain = (what: string, value: string) => ({ what, value, target: '', met: null });
  return {
    title: `a generated history of ${made.rollouts.toLocaleString('en')} rollouts`,
    lines: [
      plain('events', events.toLocaleString('en')),
      plain('on disk', `${Math.round(bytes / 1e6).toLocaleString('en')} MB`),
      rateLine('made, in events', events / seconds),
      plain('peak memory of its generation', `${peakMiB} MiB`),
    ],
    data: { rollouts: made.rollouts, events, bytes, seconds, peakMiB },
  };
}

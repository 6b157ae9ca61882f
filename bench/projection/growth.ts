// The cost of tables as a history grows: the same measurements for histories of several sizes, as tables, as a chart and as Markdown.
// ICECORE_BENCH_SIZES lists their numbers of rollouts; histories are kept in the folder that ICECORE_BENCH_HISTORIES names. `--chart` or
// ICECORE_BENCH_CHART names a file for the chart.
import { writeFileSync } from 'node:fs';
import { inFolder } from '../folder.ts';
import { type Line, type Report, rateLine } from '../report.ts';
import { grown } from './asking.ts';
import { growthChart } from './growth-chart.ts';
import { type Cost, costOf } from './growth-cost.ts';
import { historyOf } from './growth-histories.ts';
import { bytesWords, count, markdownOf, timeWords } from './growth-words.ts';

const asked = process.env['ICECORE_BENCH_SIZES'] ?? '100000,1000000,5000000';
const kept = process.env['ICECORE_BENCH_HISTORIES'] ?? null;
const mostMiB = 1000;

export async function growthBench(chart = process.env['ICECORE_BENCH_CHART'] ?? null): Promise<Report[]> {
  const costs: Cost[] = [];
  for (const rollouts of sizesIn(asked)) {
    const cost = await inFolder(async (folder) => costOf(await historyOf(rollouts, kept ?? folder), folder));
    // Print each result at once, because the largest takes long and might be stopped.
    console.error(JSON.stringify(cost));
    costs.push(cost);
  }
  if (chart !== null) writeFileSync(chart, growthChart(costs));
  return [...costs.map(costReport), growthReport(costs)];
}

function sizesIn(words: string): readonly number[] {
  const sizes = words.split(',').map(Number);
  if (sizes.every((size) => Number.isSafeInteger(size) && size > 0)) return sizes.sort((a, b) => a - b);
  throw new Error(`ICECORE_BENCH_SIZES must be numbers of rollouts separated by commas, not ${words}`);
}

function costReport(cost: Cost): Report {
  const { rollouts, events, rebuild, peakMiB, visible, statistics, stage, ledgerBytes, tablesBytes } = cost;
  return {
    title: `tables of ${count(rollouts)} rollouts, ${count(events)} events`,
    lines: [
      plain('rebuild', timeWords(rebuild)),
      rateLine('rebuild, in events', (events / rebuild) * 1000),
      {
        what: 'peak memory of the rebuild',
        value: `${peakMiB} MiB`,
        target: `under ${mostMiB} MiB`,
        met: peakMiB < mostMiB,
      },
      plain(`${count(grown)} new events until an answer includes them`, timeWords(visible)),
      plain('statistics of all stages', timeWords(statistics)),
      plain('one stage of one run', timeWords(stage)),
      plain('size of the ledger', bytesWords(ledgerBytes)),
      plain('size of the tables', bytesWords(tablesBytes)),
      plain('size of the tables relative to the ledger', (tablesBytes / ledgerBytes).toFixed(2)),
    ],
    data: { ...cost },
  };
}

/** The factor between the fewest and the most rollouts. */
function growthReport(costs: readonly Cost[]): Report {
  const [least, most] = [costs[0], costs.at(-1)];
  if (least === undefined || most === undefined) throw new Error('nothing was measured');
  const times = (what: string, of: (cost: Cost) => number): Line =>
    plain(what, `${(of(most) / of(least)).toFixed(2)} x`);
  return {
    title: `from ${count(least.rollouts)} to ${count(most.rollouts)} rollouts`,
    lines: [
      times('events', ({ events }) => events),
      times('rate of rebuilding tables', ({ events, rebuild }) => events / rebuild),
      times('peak memory of the rebuild', ({ peakMiB }) => peakMiB),
      times('new events until an answer includes them', ({ visible }) => visible),
      times('statistics of all stages', ({ statistics }) => statistics),
      times('one stage of one run', ({ stage }) => stage),
      times('size of the tables', ({ tablesBytes }) => tablesBytes),
    ],
    data: { sizes: costs.map(({ rollouts }) => rollouts) },
    markdown: markdownOf(costs),
  };
}

function plain(what: string, value: string): Line {
  return { what, value, target: '', met: null };
}

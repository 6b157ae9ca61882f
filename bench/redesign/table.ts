// The table of the study, from its ledger: the result of each arm, and its difference from keeping the initial configuration and from the
// uniform mixture. Seeds are the units: means over seeds, with Student's t intervals.
import { join } from 'node:path';
import { confidence, meanInterval, meanOf } from '../../src/lab/statistics/distributions.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { findRun } from '../../src/ledger/runs.ts';
import { readHistory } from '../../src/producers/history/reading.ts';
import type { StageHistory } from '../../src/producers/history/run-history.ts';
import { arms, nameOf } from './arms.ts';

/** The results of one run, in percent. */
interface Came {
  /** Valid rate in validation: the mean over the ends of all stages. */
  readonly area: number;
  /** All benchmarks together after the last stage. */
  readonly valid: number;
  readonly optimal: number;
}

export async function tableFrom(folder: string, seeds: readonly number[]): Promise<string> {
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { readOnly: true });
  try {
    const came = new Map<string, readonly Came[]>();
    for (const arm of arms) {
      const runs: Came[] = [];
      for (const seed of seeds) runs.push(await cameTo(ledger, nameOf(arm, seed)));
      came.set(arm, runs);
    }
    return tableOf(came);
  } finally {
    await ledger.close();
  }
}

async function cameTo(ledger: Ledger, name: string): Promise<Came> {
  const { stages } = await readHistory(ledger, (await findRun(ledger, name)).run);
  const last = stages.at(-1);
  if (last === undefined) throw new Error(`${name} has no stages`);
  return {
    area: meanOf(stages.map((stage) => rateIn(stage, (suite) => suite === 'validation', 'valid'))),
    valid: rateIn(last, (suite) => suite.startsWith('agents-'), 'valid'),
    optimal: rateIn(last, (suite) => suite.startsWith('agents-'), 'optimal'),
  };
}

/** In percent, of all rollouts of these suites together. */
function rateIn({ evaluations }: StageHistory, isSelected: (suite: string) => boolean, measure: string): number {
  let [count, of] = [0, 0];
  for (const { data } of evaluations) {
    if (!isSelected(data.suite.name)) continue;
    const result = data.results.find((one) => one.family === null && one.measure === measure);
    count += result?.count ?? 0;
    of += result?.of ?? 0;
  }
  return (100 * count) / of;
}

/** For each measure, the arms whose paired differences are shown next to its mean. */
const columns = [
  { measure: 'area', less: ['fixed', 'uniform'] },
  { measure: 'valid', less: ['fixed', 'uniform'] },
  { measure: 'optimal', less: ['fixed', 'uniform'] },
] as const satisfies readonly { readonly measure: keyof Came; readonly less: readonly string[] }[];

function tableOf(came: ReadonlyMap<string, readonly Came[]>): string {
  const titles = columns.flatMap(({ measure, less }) => [measure, ...less.map((arm) => `less ${arm}`)]);
  const rows = Array.from(came, ([arm, runs]) =>
    columns.flatMap(({ measure, less }) => [
      spanOf(runs.map((run) => run[measure])),
      ...less.map((other) => (other === arm ? '' : lessOf(runs, came.get(other) ?? [], measure))),
    ]),
  );
  const names = [...came.keys()];
  const lines = [
    ['engineer', ...titles],
    ['---', ...titles.map(() => '---')],
    ...rows.map((cells, i) => [names[i] ?? '', ...cells]),
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function lessOf(runs: readonly Came[], others: readonly Came[], measure: keyof Came): string {
  return signed(runs.map((run, i) => run[measure] - (others[i]?.[measure] ?? Number.NaN)));
}

function signed(values: readonly number[]): string {
  return `${meanOf(values) > 0 ? '+' : ''}${spanOf(values)}`;
}

/** A mean with half of its interval; a single value and values that are all alike have none. */
function spanOf(values: readonly number[]): string {
  const interval = meanInterval(values, confidence);
  const around = interval === null ? '' : ` ± ${(interval.high - interval.value).toFixed(1)}`;
  return `${meanOf(values).toFixed(1)}${around}`;
}

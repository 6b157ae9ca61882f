// Formats times, sizes and counts for people, and measurements as a Markdown table.
import type { Cost } from './growth-cost.ts';

export function count(value: number): string {
  return value.toLocaleString('en');
}

/** Millions in words, because six and five zeros are hard to distinguish. */
export function many(value: number): string {
  return value < 1e6 ? count(value) : `${count(Math.round(value / 1e4) / 100)} million`;
}

export function timeWords(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  return `${rounded(milliseconds / 1000)} s`;
}

export function bytesWords(bytes: number): string {
  return bytes < 999.5e6 ? `${rounded(bytes / 1e6)} MB` : `${rounded(bytes / 1e9)} GB`;
}

/** One decimal below ten, otherwise none. */
function rounded(value: number): string {
  return count(Number(value.toFixed(value < 9.95 ? 1 : 0)));
}

export const bytesInMiB = 1024 * 1024;

const rows: readonly (readonly [string, (cost: Cost) => string])[] = [
  ['events', ({ events }) => many(events)],
  ['the ledger, in SQLite', ({ ledgerBytes }) => bytesWords(ledgerBytes)],
  ['its tables', ({ tablesBytes }) => bytesWords(tablesBytes)],
  ['rebuild of all tables', ({ rebuild }) => timeWords(rebuild)],
  [
    'events per second of the rebuild',
    ({ events, rebuild }) => count(Number(((events / rebuild) * 1000).toPrecision(2))),
  ],
  ['peak memory of the rebuild', ({ peakMiB }) => bytesWords(peakMiB * bytesInMiB)],
  ['10,000 new events, until an answer includes them', ({ visible }) => timeWords(visible)],
  ['statistics of all stages, `FROM stage_stats`', ({ statistics }) => timeWords(statistics)],
  ['rollouts of one stage of one run, by family', ({ stage }) => timeWords(stage)],
];

export function markdownOf(costs: readonly Cost[]): string {
  const head = ['rollouts', ...costs.map(({ rollouts }) => many(rollouts))];
  const lines = [head, ['---', ...costs.map(() => '---:')], ...rows.map(([what, of]) => [what, ...costs.map(of)])];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

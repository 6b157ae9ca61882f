// A leaderboard for the eye: a row a policy, with as many columns of agents and waits as a terminal is wide; and as a table
// in Markdown, with all of them.
import type { LakeDifference } from '../../../../schemas/lake-evaluation-output.ts';
import { type Column, table } from '../../../analysis/document/layout.ts';
import { count } from '../../../base/quantity.ts';
import { displayWidth, wrapped } from '../../../base/terminal.ts';
import { visible } from '../../../base/visible.ts';
import type { Context } from '../../context.ts';
import { agentsIn, meets, titleOf, waitsIn } from './conditions.ts';
import { conditionsText, subjectText } from './evaluation-shown.ts';
import { intervalOf, percent, pooledCells, rateOf } from './rates.ts';
import type { Conditions } from './run.ts';
import { costText } from './spent.ts';
import type { Standing } from './standing.ts';

interface Shown extends Column {
  readonly cells: readonly string[];
  /** May be left out where a terminal is too narrow for it. */
  readonly isExtra?: true;
}

export function leaderboardText(
  context: Context,
  standings: readonly [Standing, ...Standing[]],
  conditions: Conditions,
): string {
  const { stdout } = context.io;
  const all = [...columnsOf(standings, context), ...extraColumns(standings)];
  const shown = stdout.isTTY ? fitting(all, stdout.columns) : all;
  const rows = standings.map((_, i) => shown.map(({ cells }) => cells[i] ?? ''));
  const words = legend(standings).flatMap((line) => (stdout.isTTY ? wrapped(line, stdout.columns) : line));
  return `${headOf(standings, conditions)}\n${table(shown, rows, stdout)}\n${words.join('\n')}\n`;
}

export function leaderboardMarkdown(
  context: Context,
  standings: readonly [Standing, ...Standing[]],
  conditions: Conditions,
): string {
  const shown = [...columnsOf(standings, context), ...extraColumns(standings)];
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  const head =
    row(shown.map(({ title }) => title)) + row(shown.map(({ align }) => (align === 'right' ? '--:' : '---')));
  const rows = standings.map((_, i) => row(shown.map(({ cells }) => cells[i] ?? '')));
  return `${head}${rows.join('')}\n${headOf(standings, conditions)}\n${legend(standings).join('\n')}\n`;
}

function headOf([first]: readonly [Standing, ...Standing[]], conditions: Conditions): string {
  const { evaluation } = first.outcome;
  const digest = evaluation.suite.digest?.slice(0, 12);
  return `${subjectText(evaluation)} (${digest}), ${conditionsText(conditions)}\n`;
}

function legend(standings: readonly Standing[]): readonly string[] {
  const rates = 'Shares in %, with 95 % intervals in brackets.';
  const base = standings.find(({ against }) => against === null)?.word ?? '';
  const spoilt = standings.filter(({ outcome }) => outcome.faults.length > 0);
  return [
    standings.length === 1
      ? rates
      : `${rates} Differences from ${visible(base)} are paired, lake by lake; +better -worse are lakes with more and fewer valid plans.`,
    ...spoilt.map(({ word, outcome }) => {
      const kinds = outcome.faults.map(({ kind, count: times }) => `${kind} ${count(times)}`).join(', ');
      return `${visible(word)}: no evidence from ${kinds}.`;
    }),
  ];
}

function columnsOf(standings: readonly Standing[], { paint }: Context): readonly Shown[] {
  const costs = standings.map(({ outcome }) => costText(outcome.evaluation));
  const hasBaseline = standings.length > 1;
  return [
    { title: 'policy', paint: paint.bold, cells: standings.map(({ word }) => visible(word)) },
    ...(['valid', 'optimal'] as const).map((measure) => ({
      title: measure,
      align: 'right' as const,
      cells: standings.map(({ outcome }) => {
        const rate = rateOf(outcome.evaluation, measure);
        return `${percent(rate)} ${intervalOf(rate)}`.trim();
      }),
    })),
    ...(hasBaseline ? differenceColumns(standings) : []),
    ...(costs.every((cost) => cost === '') ? [] : [{ title: 'cost', align: 'right' as const, cells: costs }]),
  ];
}

function differenceColumns(standings: readonly Standing[]): readonly Shown[] {
  const right = { align: 'right' } as const;
  return [
    {
      title: 'difference',
      ...right,
      cells: standings.map(({ against }) => (against === null ? 'baseline' : differenceText(against.valid))),
    },
    {
      title: '+better -worse',
      ...right,
      isExtra: true,
      cells: standings.map(({ against }) =>
        against?.valid ? `+${count(against.valid.better)} -${count(against.valid.worse)}` : '',
      ),
    },
  ];
}

function differenceText(difference: LakeDifference): string {
  if (difference === null) return '';
  const signed = (share: number): string => `${share < 0 ? '-' : '+'}${Math.abs(100 * share).toFixed(1)}`;
  const { value, low, high } = difference;
  return `${signed(value)} [${signed(low)}, ${signed(high)}]`;
}

/** Valid plans by the number of agents, then by waits. */
function extraColumns(standings: readonly Standing[]): readonly Shown[] {
  const cells = standings.map(({ outcome }) => outcome.evaluation.cells ?? []);
  const [first = []] = cells;
  const [agents, waits] = [agentsIn(first), waitsIn(first)];
  const conditions = [...(agents.length > 1 ? agents : []), ...(waits.length > 1 ? waits : [])];
  return conditions.map((condition) => ({
    title: titleOf(condition),
    align: 'right',
    isExtra: true,
    cells: cells.map((own) =>
      percent(
        pooledCells(
          own.filter((cell) => meets(cell, condition)),
          'valid',
        ),
      ),
    ),
  }));
}

const gap = 2;

/** All that must be there, and of the others the first for which there is room. */
function fitting(columns: readonly Shown[], room: number): readonly Shown[] {
  const widthOf = ({ title, cells }: Shown): number => gap + Math.max(...[title, ...cells].map(displayWidth));
  let left = room + gap;
  for (const column of columns) if (column.isExtra !== true) left -= widthOf(column);
  return columns.filter((column) => {
    if (column.isExtra !== true) return true;
    left -= widthOf(column);
    return left >= 0;
  });
}

// Evaluations and leaderboards for people. Where faults of an endpoint took all rollouts, the command fails.

import { IcecoreError } from '../../../../schemas/errors.ts';
import type { LakeDifference } from '../../../../schemas/lake-evaluation-output.ts';
import { nearest } from '../../../../schemas/nearest.ts';
import { count, counted } from '../../../base/quantity.ts';
import { displayWidth, wrapped } from '../../../base/terminal.ts';
import { visible } from '../../../base/visible.ts';
import { type Column, table } from '../../../document/layout.ts';
import type { Evaluation } from '../../../lab/evaluation/evaluate.ts';
import { paired } from '../../../lab/statistics/pairs.ts';
import type { Context } from '../../context.ts';
import {
  agentsIn,
  type Cell,
  type Conditions,
  costText,
  intervalOf,
  type Measure,
  meets,
  type Outcome,
  percent,
  pooledCells,
  rateOf,
  spentIn,
  titleOf,
  waitsIn,
} from './evaluation.ts';

/** The exit code. */
export async function tellEvidence(context: Context, word: string, { evaluation, faults }: Outcome): Promise<number> {
  const spoilt = faults.reduce((sum, { count: times }) => sum + times, 0);
  if (spoilt === 0) return 0;
  const isNone = rateOf(evaluation, 'valid').of === 0;
  const some = isNone ? 'none could' : `${count(spoilt)} could not`;
  const of = counted(evaluation.rollouts, 'rollout');
  await context.say(`of ${of} of ${word}, ${some} be judged; the same command tries these again`);
  return isNone ? 1 : 0;
}

export interface Entrant {
  /** As it was named. */
  readonly word: string;
  readonly outcome: Outcome;
}

export interface Standing extends Entrant {
  /** Null for the baseline itself. */
  readonly against: { readonly valid: LakeDifference; readonly optimal: LakeDifference } | null;
}

/** From the highest share of valid plans to the lowest; where these are equal, by optimal plans. */
export function standings(entrants: readonly Entrant[], baseline: string | null): readonly [Standing, ...Standing[]] {
  const share = ({ outcome }: Entrant, measure: 'valid' | 'optimal'): number =>
    rateOf(outcome.evaluation, measure).value ?? -1;
  const ranked = entrants.toSorted(
    (a, b) => share(b, 'valid') - share(a, 'valid') || share(b, 'optimal') - share(a, 'optimal'),
  );
  const base = ranked.find(({ word }) => word === baseline) ?? ranked[0];
  return ranked.map((entrant) => ({
    ...entrant,
    against: base === undefined || entrant === base ? null : difference(entrant, base),
  })) as readonly Standing[] as readonly [Standing, ...Standing[]];
}

/** Lakes are the same for all, and come in one order. */
function difference({ outcome }: Entrant, base: Entrant): Standing['against'] {
  const [mine, theirs] = [outcome.byLake, base.outcome.byLake];
  return { valid: paired(mine.valid, theirs.valid), optimal: paired(mine.optimal, theirs.optimal) };
}

/** Throws a usage error where the baseline is not one of the policies. */
export function requireBaseline(baseline: string | undefined, words: readonly string[]): void {
  if (baseline === undefined || words.includes(baseline)) return;
  const near = nearest(baseline, words);
  throw new IcecoreError('usage', `--baseline: found "${baseline}", allowed: ${words.join(', ')}`, {
    facts: { field: '--baseline', found: baseline, allowed: words, nearest: near },
    remedy: near === null ? 'Name one of the policies that are compared.' : `Did you mean ${near}?`,
  });
}

const measures: readonly Measure[] = ['valid', 'optimal'];

export function evaluationText(context: Context, word: string, outcome: Outcome, conditions: Conditions): string {
  const { evaluation } = outcome;
  const parts = [
    `${context.paint.bold(visible(word))} on ${subjectText(evaluation)}, ${conditionsText(conditions)}\n${provenance(evaluation)}`,
    aggregate(context, evaluation),
    bySize(context, evaluation),
    byConditions(context, evaluation),
    failures(context, evaluation),
    faults(context, outcome),
    spentIn(context, outcome),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function subjectText({ suite, split }: Evaluation): string {
  const suites = suite.parameters?.['suites'];
  const lakes = `${count(suite.tasks ?? 0)} lakes`;
  if (Array.isArray(suites)) return `${suites.length} suites, ${lakes}`;
  return suite.name === split ? `${lakes} of the pool ${split}` : `${visible(suite.name)}, ${lakes}`;
}

const shownDigits = 12;

/** What tells whether two evaluations are of the same lakes, and of the same snapshot. */
function provenance({ suite, checkpoint }: Evaluation): string {
  const lakes = `lakes ${suite.digest?.slice(0, shownDigits)}\n`;
  if (checkpoint === null || checkpoint === undefined) return lakes;
  const { reference, digest } = checkpoint;
  const known = digest === undefined ? '' : ` ${digest.slice(0, shownDigits)}`;
  return `${lakes}checkpoint${known}, ${visible(reference)}\n`;
}

function conditionsText({ samples, greedy, seed }: Conditions): string {
  const tries = samples === 1 ? 'one try each' : `${count(samples)} tries each`;
  return `${tries}, ${greedy ? 'the best answer' : 'answers drawn'}, seed ${visible(seed)}`;
}

const right = (title: string): Column => ({ title, align: 'right' });

function aggregate({ io }: Context, evaluation: Evaluation): string {
  const columns = [{ title: '' }, right('%'), right('95 % interval'), right('plans'), right('of')];
  const rows = measures.map((measure) => {
    const rate = rateOf(evaluation, measure);
    return [measure, percent(rate), intervalOf(rate), count(rate.count), count(rate.of)];
  });
  return table(columns, rows, io.stdout);
}

function bySize({ io }: Context, evaluation: Evaluation): string {
  const families = [...new Set(evaluation.results.flatMap(({ family }) => family ?? []))];
  const columns = [right('size'), right('valid %'), right('optimal %'), right('n')];
  const rows = families.map((family) => {
    const [valid, optimal] = [rateOf(evaluation, 'valid', family), rateOf(evaluation, 'optimal', family)];
    return [`${family} x ${family}`, percent(valid), percent(optimal), count(valid.of)];
  });
  return table(columns, rows, io.stdout);
}

/** Nothing where lakes differ neither in agents nor in waits. */
function byConditions({ io }: Context, { cells = [] }: Evaluation): string {
  const [agents, waits] = [agentsIn(cells), waitsIn(cells)];
  if (agents.length * Math.max(1, waits.length) < 2) return '';
  const columns = [{ title: 'valid / optimal %' }, ...waits.map((wait) => right(titleOf(wait))), right('all')];
  const rows = agents.map((agent) => {
    const own = cells.filter((cell) => meets(cell, agent));
    const parts = [...waits.map((wait) => own.filter((cell) => meets(cell, wait))), own];
    return [titleOf(agent), ...parts.map((some) => both(some))];
  });
  return table(columns, rows, io.stdout);
}

function both(cells: readonly Cell[]): string {
  return cells.length === 0 ? '' : measures.map((measure) => percent(pooledCells(cells, measure))).join(' / ');
}

const longestBar = 24;

/** By the first failure of each rollout, the most frequent first. */
function failures({ io, paint }: Context, { failures: told = [] }: Evaluation): string {
  const ways = new Map<string, number>();
  for (const { class: way, count: times } of told) ways.set(way, (ways.get(way) ?? 0) + times);
  if (ways.size === 0) return '';
  const sum = [...ways.values()].reduce((all, times) => all + times, 0);
  const most = Math.max(...ways.values());
  const columns: Column[] = [{ title: 'failed by' }, right('times'), right('%'), { title: '', paint: paint.red }];
  const rows = Array.from(ways)
    .sort(([, a], [, b]) => b - a)
    .map(([way, times]) => [
      way,
      count(times),
      percent({ value: times / sum, count: times, of: sum }),
      '█'.repeat(Math.max(1, Math.round((longestBar * times) / most))),
    ]);
  return table(columns, rows, io.stdout);
}

function faults({ io, paint }: Context, { faults: told }: Outcome): string {
  if (told.length === 0) return '';
  const columns: Column[] = [
    { title: 'no evidence', paint: paint.yellow },
    right('times'),
    { title: 'the first', wraps: true },
  ];
  const rows = told.map(({ kind, count: times, says }) => [kind, count(times), visible(says)]);
  return table(columns, rows, io.stdout);
}

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

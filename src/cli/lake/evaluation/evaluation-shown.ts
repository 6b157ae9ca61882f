// An evaluation for the eye: the aggregate, then by size, by agents and waits, then how it failed and what it cost.

import { type Column, table } from '../../../analysis/document/layout.ts';
import { count } from '../../../base/quantity.ts';
import { visible } from '../../../base/visible.ts';
import type { Evaluation } from '../../../lab/evaluation/evaluate.ts';
import type { Context } from '../../context.ts';
import { agentsIn, meets, titleOf, waitsIn } from './conditions.ts';
import { type Cell, intervalOf, type Measure, percent, pooledCells, rateOf } from './rates.ts';
import type { Conditions, Outcome } from './run.ts';
import { spentIn } from './spent.ts';

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

export function subjectText({ suite, split }: Evaluation): string {
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

export function conditionsText({ samples, greedy, seed }: Conditions): string {
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

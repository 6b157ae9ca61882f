// What asking models took: tokens, money, time.

import { type Column, table } from '../../../analysis/document/layout.ts';
import { count, duration, money } from '../../../base/quantity.ts';
import type { Evaluation } from '../../../lab/evaluation/evaluate.ts';
import type { Context } from '../../context.ts';
import type { Outcome } from './run.ts';

type Spending = Evaluation['results'][number];

/** Tokens by kind and costs by currency. */
export function spendingsIn({ results }: Pick<Evaluation, 'results'>): readonly Spending[] {
  return results.filter(({ family, measure }) => family === null && /^(tokens|cost)\//.test(measure));
}

/** Nothing where nobody was asked. What was recorded before counts as it did when it was asked for. */
export function spentIn({ io }: Context, { evaluation, pace }: Outcome): string {
  const spendings = spendingsIn(evaluation);
  if (spendings.length === 0) return '';
  const columns: Column[] = [
    { title: 'spent' },
    { title: 'in all', align: 'right' },
    { title: 'a try', align: 'right' },
  ];
  const rows = spendings.map(({ measure, value, count: tries = 0 }) => {
    const total = typeof value === 'number' ? value : 0;
    const each = total / Math.max(1, tries);
    const [kind = '', unit = ''] = measure.split('/');
    if (kind === 'cost') return ['cost', money(total, unit), money(each, unit)];
    return [`${unit} tokens`, count(total), count(each)];
  });
  if (pace.latencyMs !== null) {
    const { median, p95 } = pace.latencyMs;
    rows.push(['answer after', '', `${duration(median / 1000)}, 95 % within ${duration(p95 / 1000)}`]);
  }
  return table(columns, rows, io.stdout);
}

/** The money, where any is known to have been spent. */
export function costText(evaluation: Pick<Evaluation, 'results'>): string {
  return spendingsIn(evaluation)
    .flatMap(({ measure, value }) =>
      measure.startsWith('cost/') && typeof value === 'number' ? [money(value, measure.slice('cost/'.length))] : [],
    )
    .join(' + ');
}

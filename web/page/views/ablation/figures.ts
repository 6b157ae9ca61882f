// Figures of an ablation in words: values, differences, verdicts, and where each comes from.

import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { type Comparison, cutInterval, type Interval, type Measure, significance } from '../../../charts/standings.ts';
import { percent } from '../../../charts/words.ts';
import type { Source } from '../../menu.tsx';
import { sqlText } from '../../place.ts';
import { hrefOf } from '../../router.ts';

export function numberIn(score: Comparison['difference'] | undefined): number | null {
  return typeof score === 'number' ? score : null;
}

/** The number of trained arms that were evaluated. Decisions have scores of their own, before any training. */
export function measuredOf({ values, measures }: Pick<Ablated, 'values' | 'measures'>): number {
  const evaluated = new Set(measures.flatMap(({ measure, split }) => (split === null ? [] : [measure])));
  const found = values.filter(({ measure, value }) => value !== null && evaluated.has(measure));
  return new Set(found.map(({ arm, unit }) => `${arm}\t${unit}`)).size;
}

export function threeDigits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

export function figureText({ is }: Pick<Measure, 'is'>, value: number | null): string {
  if (value === null) return '–';
  return is === 'share' ? percent(value) : threeDigits(value);
}

/** `±1.8`, or `[0.0, 40.2]` where a share would go below 0 or above 100 %; empty without an interval. */
export function aroundText(measure: Pick<Measure, 'is'>, { low, high }: Interval): string {
  if (low === undefined || high === undefined) return '';
  const cut = cutInterval(measure, { low, high });
  if (cut !== null) return `[${cut.map((bound) => percent(bound)).join(', ')}]`;
  const half = (high - low) / 2;
  return `±${measure.is === 'share' ? (100 * half).toFixed(1) : threeDigits(half)}`;
}

/** `+3.1`: percentage points, where it is a share. */
export function signedText({ is }: Pick<Measure, 'is'>, value: number): string {
  const text = is === 'share' ? (100 * value).toFixed(1) : threeDigits(value);
  if (Number(text) === 0) return text.replace('-', '');
  return value > 0 ? `+${text}` : text.replace('-', '−');
}

/** `+3.1 [+1.0, +5.2]`. */
export function differenceText(measure: Measure, value: number | null, { low, high }: Interval): string {
  if (value === null) return '–';
  const text = signedText(measure, value);
  if (low === undefined || high === undefined) return text;
  return `${text} [${signedText(measure, low)}, ${signedText(measure, high)}]`;
}

/** `0.03`; a small one is never 0. */
export function chanceText(p: number | null): string {
  if (p === null) return '–';
  return p < 0.001 ? '<0.001' : String(Number(p.toPrecision(2)));
}

export interface Verdict {
  readonly mark: string;
  readonly words: string;
  readonly tone: 'good' | 'bad' | 'quiet' | 'warning';
  /** What the words mean for a reader who meets them for the first time. */
  readonly meaning: string;
}

/** Every outcome of a contrast has its own mark and its own words: no outcome has only a colour. */
export function verdictOf(contrast: Comparison, measure: Measure, { errored }: Pick<Ablated, 'errored'>): Verdict {
  const { verdict, arm, reference, difference, method } = contrast;
  const stopped = errored.find((one) => one.arm === arm || one.arm === reference);
  if (stopped !== undefined) return faulted(`an error stopped ${stopped.arm}`);
  if (verdict === 'not-applicable')
    return { mark: '∅', words: 'nothing to test', tone: 'quiet', meaning: method ?? 'zero by construction' };
  if (numberIn(difference) === null) return faulted('no seed has a value of both');
  if (verdict === 'equivalent')
    return { mark: '=', words: 'equivalent', tone: 'good', meaning: 'the difference is smaller than the margin' };
  const way = significance(contrast, measure);
  if (way === null)
    return {
      mark: '?',
      words: 'inconclusive',
      tone: 'quiet',
      meaning: 'these seeds cannot tell; it does not mean equal',
    };
  return way === 'better'
    ? { mark: '▲', words: 'significant: better', tone: 'good', meaning: 'more than chance explains' }
    : { mark: '▼', words: 'significant: worse', tone: 'bad', meaning: 'more than chance explains' };
}

export function faulted(why: string): Verdict {
  return { mark: '✕', words: 'faulted', tone: 'warning', meaning: `not compared: ${why}` };
}

export function commandOf({ ablation }: Pick<Ablated, 'ablation'>): string {
  return `icecore ablate --show ${ablation}`;
}

/** The mean of an arm: the rollouts of its evaluations, task by task. */
export function sourceOfArm(ablated: Pick<Ablated, 'ablation'>, arm: string, measure: string): Source {
  const of = `ablation = ${sqlText(ablated.ablation)} AND arm = ${sqlText(arm)}`;
  return {
    rollouts: hrefOf('sql', '', {
      q:
        `SELECT r.id, e.unit, e.suite, r.family, r.task, r.outcome, r.success, r.failure_class\nFROM arm_evidence AS e ` +
        'JOIN rollouts AS r ON r.stream = e.stream AND r.revision BETWEEN e.first_revision AND e.last_revision\n' +
        `WHERE e.${of.replace(' AND arm', ' AND e.arm')} AND e.suite IS NOT NULL`,
    }),
    command: commandOf(ablated),
    sql: `SELECT arm, value, low, high, units FROM arm_results WHERE ${of} AND measure = ${sqlText(measure)} AND statistic = 'mean'`,
  };
}

export function sourceOfContrast(ablated: Pick<Ablated, 'ablation'>, { arm, reference, measure }: Comparison): Source {
  return {
    command: commandOf(ablated),
    sql:
      `SELECT arm, reference, difference, low, high, p, adjusted, verdict, units FROM contrasts ` +
      `WHERE ablation = ${sqlText(ablated.ablation)} AND arm = ${sqlText(arm)} AND reference = ${sqlText(reference)} AND measure = ${sqlText(measure)}`,
  };
}

/** `1,234.5 agent_steps, 0.12 USD`. */
export function amountsText(amounts: Readonly<Record<string, number>>): string {
  return Object.entries(amounts)
    .map(([unit, amount]) => `${amount.toLocaleString('en', { maximumSignificantDigits: amount < 1 ? 2 : 6 })} ${unit}`)
    .join(', ');
}

export function secondsText(seconds: number): string {
  if (seconds < 95) return `${Math.round(seconds)} s`;
  return seconds < 95 * 60 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

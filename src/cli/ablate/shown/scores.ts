// How good the decisions of each arm were before anything was trained on them, and what they cost.
import type { Ablated, AblatedDecision } from '../../../../schemas/ablation-output.ts';
import { money } from '../../output/money.ts';
import { type Column, longestName, note, type Part, table } from '../../output/page/page.ts';
import type { Paint } from '../../output/paint.ts';
import { count } from '../../output/quantity.ts';
import { percent } from '../../runs/figures.ts';
import { meanOf } from './figures.ts';

type Score = keyof AblatedDecision['scores'];

const right = { align: 'right' } as const;

interface Scored {
  readonly score: Score;
  readonly title: string;
  readonly text: (value: number) => string;
  readonly says: string;
}

const scores: readonly Scored[] = [
  {
    score: 'citation',
    title: 'citation',
    text: coarse,
    says: 'citation score, how far changes rest on cited evidence beyond chance, 1 at best',
  },
  { score: 'preservation', title: 'preservation', text: percent, says: 'working families that are kept, in %' },
  { score: 'valid', title: 'usable', text: percent, says: 'as it came, in %' },
  { score: 'brier', title: 'Brier', text: fine, says: 'how far predictions were off, lower is better' },
  { score: 'rankCorrelation', title: 'rank', text: coarse, says: 'whether it knows which families are harder' },
];

function fine(value: number): string {
  return value.toFixed(3);
}

function coarse(value: number): string {
  return value.toFixed(2);
}

export function scoresParts({ arms, decisions }: Ablated, paint: Paint): readonly Part[] {
  const byArm = Map.groupBy(decisions, ({ arm }) => arm);
  const rows = arms.map(({ arm }) => ({ arm, own: byArm.get(arm) ?? [] })).filter(({ own }) => own.length > 0);
  if (rows.length === 0) return [];
  const known = scores.filter(({ score }) => decisions.some((one) => one.scores[score] !== null));
  const columns: readonly Column[] = [
    { title: 'arm', paint: paint.bold, most: longestName, cells: rows.map(({ arm }) => arm) },
    ...known.map(({ score, title, text }) => ({
      title,
      ...right,
      cells: rows.map(({ own }) => {
        const mean = meanOf(own.map((one) => one.scores[score]));
        return mean === null ? '' : text(mean);
      }),
    })),
    { title: 'rejected', ...right, cells: rows.map(({ own }) => fewText(own, 'rejected')) },
    ...(decisions.some(({ came }) => came === 'errored')
      ? [{ title: 'errored', ...right, cells: rows.map(({ own }) => fewText(own, 'errored')) }]
      : []),
    { title: 'tokens', ...right, cells: rows.map(({ own }) => tokensText(own)) },
    ...currenciesOf(decisions).map((currency) => ({
      title: 'cost',
      ...right,
      cells: rows.map(({ own }) => costText(own, currency)),
    })),
  ];
  return [
    { kind: 'heading', text: 'Scores of what was decided' },
    table(columns, { repeats: true }),
    note(`Means over decisions. ${known.map(({ title, says }) => `${title}: ${says}`).join('; ')}.`),
  ];
}

function fewText(own: readonly AblatedDecision[], came: AblatedDecision['came']): string {
  const some = own.filter((one) => one.came === came).length;
  return some === 0 ? '' : `${count(some)} of ${count(own.length)}`;
}

function tokensText(own: readonly AblatedDecision[]): string {
  const tokens = own.flatMap((one) => one.tokens ?? []);
  return tokens.length === 0 ? '' : count(tokens.reduce((sum, one) => sum + one, 0));
}

function currenciesOf(decisions: readonly AblatedDecision[]): readonly string[] {
  return [...new Set(decisions.flatMap(({ cost }) => Object.keys(cost)))];
}

function costText(own: readonly AblatedDecision[], currency: string): string {
  const amounts = own.flatMap(({ cost }) => cost[currency] ?? []);
  if (amounts.length === 0) return '';
  return money(
    amounts.reduce((sum, one) => sum + one, 0),
    currency,
  );
}

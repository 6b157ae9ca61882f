// What an ablation would do: who decides by what, how often models are asked and how much is trained, and that nothing was
// done yet.

import type { AblationPlan } from '../../../../schemas/ablation-output.ts';
import { listed } from '../../../base/listed.ts';
import type { Context } from '../../context.ts';
import { money } from '../../output/money.ts';
import { type Column, gap, longestName, note, type Page, type Part, table } from '../../output/page/page.ts';
import { terminalText } from '../../output/page/terminal.ts';
import { count, duration } from '../../output/quantity.ts';
import { matrixOf } from './cells.ts';
import { armsText, depthText, replayedText } from './headline.ts';
import { seedsParts } from './seeds.ts';
import { unusedMark, unusedWords } from './unused.ts';

export function planText(context: Pick<Context, 'paint' | 'io'>, plan: AblationPlan): string {
  return terminalText(context, planPage(context, plan));
}

export function planPage({ paint }: Pick<Context, 'paint'>, plan: AblationPlan): Page {
  const names = listed(plan.histories.map(({ name }) => name));
  const sections: readonly (readonly Part[])[] = [
    [note(`${replayedText(plan)} ${armsText(plan)}${declaredText(plan)}`)],
    matrixParts(plan, paint.bold),
    [{ kind: 'heading', text: 'It takes' }, amountsTable(plan)],
    seedsParts(plan),
    plan.notes.length === 0 ? [] : [{ kind: 'list', items: plan.notes }],
    [{ kind: 'text', text: endText(plan), tone: 'plain' }],
  ];
  return {
    title: `Plan of an ablation of ${names}, ${depthText(plan.depth)}`,
    sections: sections.filter(({ length }) => length > 0),
  };
}

const mostNamed = 4;

function declaredText({ contrasts }: AblationPlan): string {
  const [first] = contrasts;
  if (first === undefined) return ' No contrast is declared.';
  const names = contrasts
    .slice(0, mostNamed)
    .map(({ factor, arm, reference }) => `${factor === null ? '' : `${factor} `}${arm} against ${reference}`);
  const more = contrasts.length - names.length;
  const all = more > 0 ? `${names.join(', ')} and ${more} more` : listed(names);
  return ` Declared: ${all}, by ${first.measure} (${first.better} is better).`;
}

function matrixParts(plan: AblationPlan, bold: (text: string) => string): readonly Part[] {
  const { contexts, engineers, armAt, beside } = matrixOf(plan);
  const names = beside.map(({ arm }) => arm).join(', ');
  const columns = engineers.map((engineer): Column => {
    const arms = contexts.map((context) => armAt(context, engineer));
    return {
      title: engineer,
      most: longestName,
      cells: arms.map((arm) => (arm === null ? '-' : `yes${arm.notApplicable.length > 0 ? unusedMark : ''}`)),
    };
  });
  const unused = unusedWords(plan);
  return [
    { kind: 'heading', text: 'Who decides, and what they are shown' },
    ...(columns.length === 0
      ? []
      : [table([{ title: 'shown', paint: bold, most: longestName, cells: contexts }, ...columns], { repeats: true })]),
    ...(names === '' ? [] : [gap, note(`beside them: ${names}`)]),
    ...(unused.length === 0 ? [] : [note(unused.join(' '))]),
  ];
}

type Amount = readonly [what: string, amount: string, says: string];

function amountsTable(plan: AblationPlan): Part {
  const { decisions, done, questions, trainings, repeats, evaluations, seconds, cost } = plan;
  const few = (what: string, amount: number, says: string): readonly Amount[] =>
    amount === 0 ? [] : [[what, count(amount), says]];
  const time = seconds === null ? 'not known' : `about ${duration(seconds)}`;
  const costs = Object.entries(cost).map(([currency, amount]) => money(amount, currency));
  const rows: readonly Amount[] = [
    ['decisions', count(decisions), done === 0 ? '' : `${count(done)} of them are there already`],
    [
      'questions to models',
      count(questions),
      questions === 0 ? '' : 'what was asked before is answered from the record',
    ],
    ...few('trainings', trainings, 'at most: arms that decide the same are trained once'),
    ...few('repeats', repeats, 'of what was trained, first, to see that the same comes'),
    ...few('evaluations', evaluations, ''),
    ...(trainings + repeats === 0 ? [] : [['time', time, ''] as const]),
    ...(costs.length === 0 ? [] : [['cost', `about ${costs.join(', ')}`, ''] as const]),
  ];
  return table([
    { title: '', cells: rows.map(([what]) => what) },
    { title: '', align: 'right', cells: rows.map(([, amount]) => amount) },
    { title: '', cells: rows.map(([, , says]) => says), wraps: true },
  ]);
}

const ends = {
  new: 'Nothing was done. The same command without --plan does it.',
  'under-way': 'Nothing was done now. The same command without --plan goes on with it.',
  completed: 'Nothing was done now. The same command without --plan shows what came of it.',
} as const;

function endText({ state }: AblationPlan): string {
  return ends[state];
}

// The plan of an ablation: its arms, how many questions and trainings it takes, and which differences its seeds can detect.
import type { AblatedArm, AblationPlan, SeedsPlan } from '../../../../schemas/ablation-output.ts';
import { canUseNothing } from '../../../../schemas/arm-names.ts';
import { matrixOf } from '../../../../web/charts/standings.ts';
import { listNames } from '../../../base/name-lists.ts';
import { count, counted, duration, money } from '../../../base/quantity.ts';
import {
  type Block,
  type ColumnOf,
  type Document,
  filled,
  list,
  longestName,
  note,
  paragraph,
  type Section,
  section,
  table,
} from '../../../document/document.ts';
import { mostNeeded } from '../../../lab/statistics/power.ts';
import { measuresAt } from '../values.ts';
import { armsText, depthText, historiesText, replayedText, unusedArms } from './document.ts';
import { contrastText, unusedMark, unusedWords } from './figures.ts';

export function planDocument(plan: AblationPlan): Document {
  return {
    title: `Plan of an ablation of ${historiesText(plan)}, ${depthText(plan.depth)}`,
    blocks: [paragraph([ends[plan.state], ...answers(plan)].join(' '))],
    sections: filled([
      section(null, [note(`${replayedText(plan)} ${armsText(plan)}${contrastsText(plan)}`)]),
      matrixSection(plan),
      section('Cost', [amountsTable(plan)]),
      seedsSection(plan),
      section(null, plan.notes.length === 0 ? [] : [list(plan.notes)]),
    ]),
  };
}

/** What a reader wants to know first: how long it takes, and what its seeds can show. */
function answers(plan: AblationPlan): readonly string[] {
  const { trainings, repeats, seconds, seeds } = plan;
  const sizeText = sizeTextOf(plan);
  return [
    ...(trainings + repeats === 0 || seconds === null ? [] : [`It would take up to about ${duration(seconds)}.`]),
    ...(seeds.families.every(({ least }) => seeds.units < least)
      ? tooFewTexts(plan)
      : seeds.families.map((one) => findsText(one, nameOf(one.family, plan), seeds, sizeText))),
  ];
}

/** `Fewest seeds for a significant result: 6 for the default contrast, 8 for the 4 main effects.` */
function tooFewTexts(plan: AblationPlan): readonly string[] {
  const { families, units } = plan.seeds;
  if (families.length === 0) return [];
  const needed = families.map(
    ({ family, contrasts, least }) => `${count(least)} for the ${contrastsNamed(contrasts, nameOf(family, plan))}`,
  );
  return [
    `With ${counted(units, 'seed')} nothing can be significant. Fewest seeds for a significant result: ${needed.join(', ')}.`,
  ];
}

function contrastsNamed(contrasts: number, name: string): string {
  return contrasts === 1 ? name : counted(contrasts, name);
}

const mostNamed = 4;

function contrastsText({ contrasts, declared }: AblationPlan): string {
  const [first] = contrasts;
  if (first === undefined) return ' No contrast is declared.';
  const names = listNames(contrasts.map(contrastText), mostNamed);
  const title = `${declared ? 'Declared' : 'Default'} contrast${contrasts.length === 1 ? '' : 's'}`;
  const hint = declared ? '' : ' Declare others with --contrast.';
  return ` ${title}: ${names}, by ${first.measure} (${first.better} is better).${hint}`;
}

function matrixSection(plan: AblationPlan): Section {
  const { contexts, engineers, armAt, beside } = matrixOf(plan);
  const names = beside.map(({ arm }) => arm).join(', ');
  const cell = (arm: AblatedArm | null): string =>
    arm === null ? '-' : canUseNothing(arm) ? 'not applicable' : `yes${arm.notApplicable.length > 0 ? unusedMark : ''}`;
  const shown: ColumnOf<string> = { title: 'context', mark: 'strong', limit: longestName, cell: (context) => context };
  const columns = engineers.map((engineer): ColumnOf<string> => {
    return { title: engineer, limit: longestName, cell: (context) => cell(armAt(context, engineer)) };
  });
  const unused = unusedWords(plan, plan.arms.some(isPartlyUsed) ? undefined : '');
  return section('Arms', [
    ...(columns.length === 0 ? [] : [table(contexts, [shown, ...columns], { repeats: true })]),
    ...(names === '' ? [] : [note(`baselines: ${names}`)]),
    ...(unused.length === 0 ? [] : [note(unused.join(' '))]),
  ]);
}

function isPartlyUsed(arm: AblatedArm): boolean {
  return arm.notApplicable.length > 0 && !canUseNothing(arm);
}

type Amount = readonly [what: string, amount: string, says: string];

function amountsTable(plan: AblationPlan): Block {
  const { decisions, questions, trainings, repeats, evaluations, seconds, cost } = plan;
  const few = (what: string, amount: number, says: string): readonly Amount[] =>
    amount === 0 ? [] : [[what, count(amount), says]];
  const time = seconds === null ? 'unknown' : `about ${duration(seconds)}`;
  const costs = Object.entries(cost).map(([currency, amount]) => money(amount, currency));
  const rows: readonly Amount[] = [
    ['decisions', count(decisions), decisionsText(plan)],
    ['questions to models', count(questions), questions === 0 ? '' : 'recorded answers are used again'],
    ...few('trainings', trainings, 'at most: equal decisions are trained once'),
    ...few('repeats', repeats, 'recorded trainings repeated first, which must give the same checkpoints'),
    ...few('evaluations', evaluations, ''),
    ...(trainings + repeats === 0 ? [] : [['time', time, ''] as const]),
    ...(costs.length === 0 ? [] : [['cost', `about ${costs.join(', ')}`, ''] as const]),
  ];
  return table(rows, [
    { title: '', cell: ([what]) => what },
    { title: '', align: 'right', cell: ([, amount]) => amount },
    { title: '', cell: ([, , says]) => says, wraps: true },
  ]);
}

/** Every arm decides equally often. */
function decisionsText({ decisions, done, arms }: AblationPlan): string {
  const unused = arms.filter(canUseNothing);
  return [
    ...(done === 0 ? [] : [`${count(done)} of them recorded already`]),
    ...(unused.length === 0
      ? []
      : [`${count((decisions / arms.length) * unused.length)} of them enter no comparison: ${unusedArms(unused)}`]),
  ].join(', ');
}

const ends = {
  new: 'Nothing was done. The same command without --plan runs it.',
  'under-way': 'Nothing was done. The same command without --plan resumes it.',
  completed: 'Nothing was done. The same command without --plan shows the results.',
} as const;

type Family = SeedsPlan['families'][number]['family'];

function nameOf(family: Family, { declared }: Pick<AblationPlan, 'declared'>): string {
  if (family === 'main-effects') return 'main effect';
  if (family === 'others') return 'other contrast';
  return declared ? 'declared contrast' : 'default contrast';
}

/** Which differences the seeds can detect, and how many seeds it takes to detect a difference, for each family of contrasts. */
function seedsSection(plan: AblationPlan): Section {
  const { seeds, contrasts } = plan;
  const { families, needed } = seeds;
  if (families.length === 0) return section(null, []);
  const [first] = contrasts;
  const sizeText = sizeTextOf(plan);
  return section('Seeds needed to detect a difference', [
    table(needed, [
      { title: 'difference', cell: ({ effect, difference }) => sizeText(effect, difference) },
      ...families.map(({ family, contrasts: together }, i) => ({
        title: counted(together, nameOf(family, plan)),
        align: 'right' as const,
        cell: ({ units }: (typeof needed)[number]) => seedsText(units[i] ?? null),
      })),
    ]),
    note([...headroomText(seeds, isShareIn(plan)), ...seedsLegend(seeds, first?.measure)].join(' ')),
    ...families.filter(({ family }) => family !== 'declared').map((one) => note(comparedText(one))),
  ]);
}

const mostCompared = 8;

/** `Main effects: engineer checkpoint against rules, context stats against failures.` Declared contrasts are named above. */
function comparedText({ family, compared }: SeedsPlan['families'][number]): string {
  const names = listNames(compared.map(comparedName), mostCompared);
  const rest = compared.length > mostCompared ? ' (--json has all)' : '';
  const title = family === 'main-effects' ? 'Main effect' : 'Other contrast';
  return `${title}${compared.length === 1 ? '' : 's'}: ${names}${rest}.`;
}

function comparedName({ kind, arm, reference }: SeedsPlan['families'][number]['compared'][number]): string {
  if (kind === 'effect') return `the effect ${arm}`;
  return contrastText({ factor: kind === 'engineer' || kind === 'context' ? kind : null, arm, reference });
}

type SizeText = (effect: number, difference: number | null) => string;

function sizeTextOf(plan: AblationPlan): SizeText {
  const isShare = isShareIn(plan);
  return (effect, difference) => {
    const sd = `${Number(effect.toFixed(2))} sd`;
    if (difference === null) return sd;
    return `${sd} (${isShare ? `${(100 * difference).toFixed(1)} points` : Number(difference.toPrecision(3))})`;
  };
}

function isShareIn({ contrasts: [first], depth }: AblationPlan): boolean {
  return measuresAt(depth).find(({ measure }) => measure === first?.measure)?.is === 'share';
}

function seedsText(units: number | null): string {
  return units === null ? `> ${count(mostNeeded)}` : count(units);
}

function findsText(
  { contrasts, finds, findsBy, least }: SeedsPlan['families'][number],
  name: string,
  { units }: SeedsPlan,
  sizeText: SizeText,
): string {
  const those = `The ${contrastsNamed(contrasts, name)}`;
  if (units < least)
    return `${those} cannot be significant with fewer than ${counted(least, 'seed')}; this plan has ${count(units)}.`;
  const detects = `${those}: ${counted(units, 'seed')} ${units === 1 ? 'detects' : 'detect'}`;
  if (finds === null) return `${detects} no difference, however large.`;
  return `${detects} differences of ${sizeText(finds, findsBy)} or more.`;
}

function headroomText({ headroom }: SeedsPlan, isShare: boolean): readonly string[] {
  if (headroom === null) return [];
  const { gain, arm, arms, ablation } = headroom;
  const gained = isShare ? `${(100 * gain).toFixed(1)} points` : String(Number(gain.toPrecision(3)));
  if (gain <= 0)
    return [
      `What there is to gain: in ${ablation} none of ${counted(arms, 'arm')} was better than the baseline uniform.`,
    ];
  return [
    `What there is to gain: in ${ablation} the best of ${counted(arms, 'arm')}, ${arm}, was ${gained} better than the baseline uniform.`,
  ];
}

function seedsLegend({ power, alpha, deviation }: SeedsPlan, measure: string | undefined): readonly string[] {
  const by = measure === undefined ? '' : ` by ${measure}`;
  return [
    `sd: standard deviation of the differences${by} between two arms, paired by seed.`,
    deviation === null
      ? 'No earlier ablation shows how many points 1 sd is.'
      : `Figures in brackets: if sd is as large as the median of ${counted(deviation.contrasts, 'contrast')} in ${listNames(deviation.ablations)}.`,
    `A difference is detected if it is significant at ${Number(alpha.toFixed(6))} in ${Number((100 * power).toFixed(3))} % of cases; the contrasts of a column are corrected together (Holm).`,
  ];
}

// What is drawn of an ablation: the matrix as a heat map, and how far arms are from the one that all are held against.
import type { Ablated, AblatedArm } from '../../../../schemas/ablation-output.ts';
import type { ArmInterval, IntervalsData, MatrixCell, MatrixData, Pictured } from '../../../analysis/ablation/page.ts';
import { matrixOf } from './cells.ts';
import { aroundText, differenceText, figureText, meanText, numberOf, signedText, titleOf } from './figures.ts';
import { bestFirst, type Standing, type Standings, significance, standingsOf, verdictText } from './standing.ts';
import { unusedMark, unusedWords } from './unused.ts';

const noValue = 'no value';
const marks = { better: ' ▲', worse: ' ▼' } as const;

export function picturedIn(ablated: Ablated): Pictured {
  const standings = standingsOf(ablated);
  if (standings === null) return { matrix: null, intervals: null };
  return { matrix: matrixIn(ablated, standings), intervals: intervalsIn(standings) };
}

function matrixIn(ablated: Ablated, standings: Standings): MatrixData | null {
  const { contexts, engineers, armAt, beside } = matrixOf(ablated);
  const { measure, reference, arms } = standings;
  const known = arms.flatMap(({ mean }) => mean ?? []);
  if (known.length === 0) return null;
  const found = new Map(arms.map((one) => [one.arm, one]));
  const cellOf = (row: string, column: string | null, arm: AblatedArm | null): MatrixCell[] =>
    arm === null ? [] : [cell(row, column, arm, found.get(arm.arm), standings)];
  const [low, high] = [Math.min(...known), Math.max(...known)].map((value) => figureText(measure, value));
  const ends = measure.better === 'higher' ? ([low, high] as const) : ([high, low] as const);
  const isAny = arms.some(({ against }) => significance(against, measure) !== null);
  const legend = isAny ? [`▲ better and ▼ worse than ${reference}, significantly.`] : [];
  return {
    title: matrixTitle(ablated),
    caption: ['The stronger the colour, the better.', ...legend, ...unusedWords(ablated)].join(' '),
    rows: contexts,
    columns: engineers,
    below: beside.map(({ arm }) => arm),
    cells: [
      ...contexts.flatMap((row) => engineers.flatMap((column) => cellOf(row, column, armAt(row, column)))),
      ...beside.flatMap((arm) => cellOf(arm.arm, null, arm)),
    ],
    better: measure.better,
    ends: [`${titleOf(measure)} ${ends[0]}`, ends[1] ?? ''],
  };
}

function matrixTitle({ units, level }: Ablated): string {
  if (units.length === 1) return 'One seed';
  return `Means over ${units.length} seeds, with their ${Number((100 * level).toFixed(3))}\u00a0% intervals`;
}

function cell(
  row: string,
  column: string | null,
  { arm, notApplicable }: AblatedArm,
  standing: Standing | undefined,
  { measure }: Standings,
): MatrixCell {
  const mean = standing?.mean ?? null;
  if (standing === undefined || mean === null) {
    const figure = standing?.isErrored === true ? 'errored' : noValue;
    return { row, column, value: null, figure, around: '', says: `${arm}: ${figure}` };
  }
  const told = significance(standing.against, measure);
  const mark = `${notApplicable.length > 0 ? unusedMark : ''}${told === null ? '' : marks[told]}`;
  return {
    ...{ row, column, value: mean },
    figure: `${figureText(measure, mean)}${mark}`,
    around: aroundText(measure, standing),
    says: `${arm}: ${meanText(measure, mean, standing)}`,
  };
}

function intervalsIn(standings: Standings): IntervalsData | null {
  const { measure, reference } = standings;
  const shown = bestFirst(standings);
  const arms = shown.flatMap((one): ArmInterval[] => {
    const value = numberOf(one.against?.difference);
    if (one.against === null || one.against.verdict === 'not-applicable' || value === null) return [];
    const { low = null, high = null } = one.against;
    const told = significance(one.against, measure);
    const figure = differenceText(measure, value, one.against);
    return [
      {
        ...{ arm: one.arm, value, low, high, figure },
        isTold: told !== null,
        isWorse: told === 'worse',
        says: `${one.arm}: ${figure}, ${verdictText(one.against, measure)}`,
      },
    ];
  });
  if (arms.length === 0 || reference === null) return null;
  const unit = measure.is === 'share' ? `points ${measure.measure}` : measure.measure;
  return {
    title: `Against ${reference}: differences in ${unit}, paired by seed`,
    caption: `Bars are intervals of the differences; filled dots differ significantly from ${reference}, the others are inconclusive or equivalent.`,
    unit: `${unit} against ${reference}`,
    arms,
    line: 0,
    tick: (value) => signedText(measure, value).replace(/\.0$/, ''),
    table: {
      columns: ['arm', unit, ''],
      rows: arms.map(({ arm, figure, says }) => [arm, figure, says.slice(says.lastIndexOf(', ') + 2)]),
    },
  };
}

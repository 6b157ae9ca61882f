// The matrix of an ablation: rows are contexts, columns engineers, cells results. A page draws it. Text marks a cell only if it
// differs significantly from the reference: a triangle says how, a block how far beyond the interval, as a page shades it.
import type { Ablated, AblatedArm } from '../../../../schemas/ablation-output.ts';
import { canUseNothing } from '../../../../schemas/arm-names.ts';
import { type MatrixCell, type MatrixData, matrixChart } from '../../../../web/charts/matrix.ts';
import { largestCertain, shade } from '../../../../web/charts/shade.ts';
import {
  commonModules,
  type Matrix,
  matrixOf,
  type Standing,
  type Standings,
  significance,
  significantDifference,
} from '../../../../web/charts/standings.ts';
import { listNames } from '../../../base/name-lists.ts';
import {
  type Block,
  type ColumnOf,
  chart,
  longestName,
  marked,
  note,
  plainText,
  type Section,
  section,
  type Text,
  table,
} from '../../../document/document.ts';
import { aroundLegend, aroundText, figureText, meanText, titleOf, unusedMark, unusedWords } from './figures.ts';

const blocks = '▁▂▃▄▅▆▇█';
const marks = { better: '▲', worse: '▼' } as const;
/** No arm has this context and this engineer. */
const noArm = '-';
const noValue = 'no value';

export function matrixSection(ablated: Ablated, standings: Standings): Section {
  const matrix = matrixOf(ablated);
  const { measure } = standings;
  const cells = new Cells(standings);
  const legend = [...cells.legend(ablated), ...unusedWords(ablated)].join(' ');
  const tables = [
    ...(matrix.engineers.length === 0 ? [] : [matrixTable(matrix, cells)]),
    ...(matrix.beside.length === 0 ? [] : [besideTable(matrix, cells)]),
    ...(legend === '' ? [] : [note(legend)]),
  ];
  const drawn = matrixChart(matrixData(ablated, standings, cells));
  return section(`By context and engineer: ${titleOf(measure)}`, [
    ...(drawn === null ? tables : [chart(drawn, tables)]),
    ...(measure.says === '' ? [] : [note(`${measure.measure}: ${measure.says}; ${measure.better} is better.`)]),
    ...commonModules(ablated).map((text) => note(text)),
    ...valuelessBlocks(matrix, cells, measure.measure),
  ]);
}

function matrixTable({ contexts, engineers, armAt }: Matrix, cells: Cells): Block {
  const columns = engineers.map((engineer): ColumnOf<string> => {
    return {
      title: engineer,
      limit: longestName,
      cell: (context) => cells.text(armAt(context, engineer)),
    };
  });
  const shown: ColumnOf<string> = { title: 'context', limit: longestName, cell: (context) => context };
  return table(contexts, [shown, ...columns], { repeats: true });
}

function besideTable({ beside: all }: Matrix, cells: Cells): Block {
  const valued = all.filter((arm) => cells.has(arm));
  const beside = valued.length === 0 ? all : valued;
  return table(beside, [
    { title: 'baseline', limit: longestName, cell: ({ arm }) => arm },
    { title: '', cell: (arm) => cells.text(arm) },
    { title: '', wraps: true, cell: besideText },
  ]);
}

function besideText({ arm, engineer, form }: AblatedArm): string {
  if (form === null) return arm === engineer ? 'reads no context' : `${engineer}, reads no context`;
  return `the actual decision: ${engineer}, shown ${form}`;
}

/** Baselines without a value are named in one line, unless none has one. */
function valuelessBlocks({ beside }: Matrix, cells: Cells, measure: string): readonly Block[] {
  const without = beside.filter((arm) => !cells.has(arm));
  if (without.length === 0 || without.length === beside.length) return [];
  return [note(`Without ${measure}: ${listNames(without.map(({ arm }) => arm))}.`)];
}

class Cells {
  readonly #standings: Standings;
  readonly #of: ReadonlyMap<string, Standing>;
  readonly #strongest: number;

  constructor(standings: Standings) {
    this.#standings = standings;
    this.#of = new Map(standings.arms.map((one) => [one.arm, one]));
    this.#strongest = largestCertain(standings.arms.flatMap((one) => significantDifference(one) ?? []));
  }

  standing({ arm }: AblatedArm): Standing | null {
    return this.#of.get(arm) ?? null;
  }

  has(arm: AblatedArm): boolean {
    return (this.standing(arm)?.mean ?? null) !== null;
  }

  /** Marks after the figure: modules that the engineer cannot use, and significance. */
  marksOf(arm: AblatedArm): string {
    const verdict = significance(this.standing(arm)?.against ?? null, this.#standings.measure);
    return `${arm.notApplicable.length > 0 ? unusedMark : ''}${verdict === null ? '' : ` ${marks[verdict]}`}`;
  }

  text(arm: AblatedArm | null): Text {
    if (arm === null) return noArm;
    const standing = this.standing(arm);
    if (standing?.isErrored === true) return [marked('quiet', 'errored')];
    if (canUseNothing(arm)) return [marked('quiet', `not applicable${this.marksOf(arm)}`)];
    const { measure } = this.#standings;
    if (standing === null || standing.mean === null) return [marked('quiet', `${noValue}${this.marksOf(arm)}`)];
    const figure = `${meanText(measure, standing.mean, standing)}${this.marksOf(arm)}`;
    if (this.#strongest === 0) return figure;
    const tone = significance(standing.against, measure) === 'worse' ? 'bad' : 'good';
    return [marked(tone, this.#block(standing)), ` ${figure}`];
  }

  legend(ablated: Ablated): readonly string[] {
    const { measure, reference, arms } = this.#standings;
    const isAnySignificant = arms.some(({ against }) => significance(against, measure) !== null);
    return [
      ...aroundLegend(arms, measure, ablated),
      ...(isAnySignificant
        ? [
            `${marks.better} better, ${marks.worse} worse than ${reference}, significantly; blocks: by how much beyond the interval of the difference.`,
          ]
        : []),
    ];
  }

  /** Empty unless the difference is significant. */
  #block(standing: Standing): string {
    const difference = significantDifference(standing);
    const strength = difference === null ? 0 : Math.abs(shade(difference, this.#strongest));
    return strength === 0 ? ' ' : (blocks[Math.round(strength * (blocks.length - 1))] ?? '');
  }
}

function percentText(level: number): number {
  return Number((100 * level).toFixed(3));
}

/** The same as data of a heat map. */
function matrixData(ablated: Ablated, standings: Standings, cells: Cells): MatrixData {
  const { contexts, engineers, armAt, beside } = matrixOf(ablated);
  const { measure, reference, arms } = standings;
  const isAny = arms.some(({ against }) => significance(against, measure) !== null);
  const legend = isAny ? [`▲ better and ▼ worse than ${reference}, significantly.`] : [];
  const cellOf = (row: string, column: string | null, arm: AblatedArm | null): MatrixCell[] =>
    arm === null ? [] : [matrixCell({ row, column, arm }, standings, cells)];
  return {
    title: matrixTitle(ablated),
    caption: [shadeWords(reference), ...legend, ...unusedWords(ablated)].join(' '),
    rows: contexts,
    columns: engineers,
    below: beside.map(({ arm }) => arm),
    cells: [
      ...contexts.flatMap((row) => engineers.flatMap((column) => cellOf(row, column, armAt(row, column)))),
      ...beside.flatMap((arm) => cellOf(arm.arm, null, arm)),
    ],
    better: measure.better,
    reference,
  };
}

/** Without a reference no cell is shaded. */
function shadeWords(reference: string | null): string {
  if (reference === null) return 'No cell is shaded, because there is nothing to compare with.';
  return `A cell is shaded only if it differs from ${reference} significantly.`;
}

function matrixTitle({ units, level }: Ablated): string {
  if (units.length === 1) return 'One seed';
  return `Means over ${units.length} seeds, with their ${percentText(level)}\u00a0% intervals`;
}

interface Place {
  readonly row: string;
  readonly column: string | null;
  readonly arm: AblatedArm;
}

function matrixCell({ row, column, arm }: Place, { measure }: Standings, cells: Cells): MatrixCell {
  const standing = cells.standing(arm);
  if (standing === null || standing.mean === null) {
    const figure = plainText(cells.text(arm));
    return { row, column, value: null, figure, around: '', says: `${arm.arm}: ${figure}`, against: null };
  }
  return {
    ...{ row, column, value: standing.mean },
    figure: `${figureText(measure, standing.mean)}${cells.marksOf(arm)}`,
    around: aroundText(measure, standing),
    says: `${arm.arm}: ${meanText(measure, standing.mean, standing)}`,
    against: significantDifference(standing),
  };
}

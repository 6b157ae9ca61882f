// The matrix as a heat map in characters: a row a context, a column an engineer, in each cell how it came out. Blocks say
// on one scale how high a value is, colours repeat them, and a triangle says what differs significantly from the reference.
import type { Ablated, AblatedArm } from '../../../../schemas/ablation-output.ts';
import { listed } from '../../../base/listed.ts';
import { type Column, gap, longestName, note, type Part, table } from '../../output/page/page.ts';
import type { Paint } from '../../output/paint.ts';
import { type Matrix, matrixOf } from './cells.ts';
import { figureText, meanText, titleOf } from './figures.ts';
import { type Standing, type Standings, significance } from './standing.ts';
import { unusedMark, unusedWords } from './unused.ts';

const blocks = '▁▂▃▄▅▆▇█';
const marks = { better: '▲', worse: '▼' } as const;
/** No arm has this context and this engineer. */
const noArm = '-';
const nothing = 'no value';
const errored = 'errored';

export function matrixParts(ablated: Ablated, standings: Standings, paint: Paint): readonly Part[] {
  const matrix = matrixOf(ablated);
  const { measure } = standings;
  const cells = new Cells(standings, paint);
  const engineers = matrix.engineers.map(
    (engineer): Column => ({
      title: engineer,
      most: longestName,
      paint: cells.paint,
      cells: matrix.contexts.map((context) => cells.text(matrix.armAt(context, engineer))),
    }),
  );
  const says = measure.says === '' ? [] : [note(`${measure.measure}: ${measure.says}; ${measure.better} is better.`)];
  const legend = [...cells.legend(ablated), ...unusedWords(ablated)].join(' ');
  const isAlone = matrix.beside.length === 0;
  const columns: readonly Column[] = [{ title: 'shown', most: longestName, cells: matrix.contexts }, ...engineers];
  return [
    { kind: 'heading', text: `By what was shown and who decided: ${titleOf(measure)}` },
    ...(engineers.length === 0
      ? []
      : [table(columns, { repeats: true, drawn: 'matrix', ...(isAlone ? { legend } : {}) })]),
    ...(engineers.length === 0 || isAlone ? [] : [gap]),
    ...(isAlone ? [] : [besideTable(matrix, cells, engineers.length === 0 ? 'matrix' : 'beside', legend)]),
    ...says,
    ...alwaysParts(ablated),
    ...valuelessParts(matrix, cells, measure.measure),
  ];
}

/** A factorial chooses among some modules; what else its form has is shown with every choice. */
function alwaysParts({ preset, arms }: Ablated): readonly Part[] {
  if (preset !== 'factorial') return [];
  const [first, ...others] = arms.flatMap(({ baseline, modules }) => (baseline || modules === null ? [] : [modules]));
  const always = (first ?? []).filter((module) => others.every((modules) => modules.includes(module)));
  return always.length === 0 ? [] : [note(`All of them are shown ${listed(always)} besides; none is that alone.`)];
}

/** Those that have no value are named together, unless there is none that has one. */
function valuelessParts({ beside }: Matrix, cells: Cells, measure: string): readonly Part[] {
  const without = beside.filter((arm) => !cells.has(arm));
  if (without.length === 0 || without.length === beside.length) return [];
  return [note(`Without ${measure}: ${listed(without.map(({ arm }) => arm))}.`)];
}

function besideTable({ beside: all }: Matrix, cells: Cells, drawn: string, legend: string): Part {
  const valued = all.filter((arm) => cells.has(arm));
  const beside = valued.length === 0 ? all : valued;
  const columns: readonly Column[] = [
    { title: 'beside them', most: longestName, cells: beside.map(({ arm }) => arm) },
    { title: '', paint: cells.paint, cells: beside.map((arm) => cells.text(arm)) },
    { title: '', cells: beside.map(besideText), wraps: true },
  ];
  return table(columns, { drawn, legend });
}

function besideText({ arm, engineer, form }: AblatedArm): string {
  if (form === null) return arm === engineer ? 'shown nothing' : `${engineer}, shown nothing`;
  return `what was really decided: ${engineer}, shown ${form}`;
}

class Cells {
  readonly #standings: Standings;
  readonly #of: ReadonlyMap<string, Standing>;
  readonly #least: number;
  readonly #most: number;
  readonly #paint: Paint;

  constructor(standings: Standings, paint: Paint) {
    const means = standings.arms.flatMap(({ mean }) => mean ?? []);
    this.#standings = standings;
    this.#of = new Map(standings.arms.map((one) => [one.arm, one]));
    this.#least = Math.min(...means);
    this.#most = Math.max(...means);
    this.#paint = paint;
  }

  has({ arm }: AblatedArm): boolean {
    return (this.#of.get(arm)?.mean ?? null) !== null;
  }

  text(arm: AblatedArm | null): string {
    if (arm === null) return noArm;
    const standing = this.#of.get(arm.arm);
    const isUnused = arm.notApplicable.length > 0 ? unusedMark : '';
    if (standing?.isErrored === true) return errored;
    if (standing === undefined || standing.mean === null) return `${nothing}${isUnused}`;
    const { measure } = this.#standings;
    const told = significance(standing.against, measure);
    const mark = told === null ? '' : ` ${marks[told]}`;
    return `${this.#block(standing.mean)} ${meanText(measure, standing.mean, standing)}${isUnused}${mark}`;
  }

  /** Cold to warm, as high as the block is. */
  readonly paint = (text: string): string => {
    const height = blocks.indexOf(text.charAt(0));
    if (text === '' || height < 0) return this.#paint.dim(text);
    const { blue, cyan, green, yellow } = this.#paint;
    return [blue, cyan, green, yellow][Math.floor(height / 2)]?.(text) ?? text;
  };

  legend({ level, units }: Ablated): readonly string[] {
    const { measure, reference, arms } = this.#standings;
    if (this.#most < this.#least) return [];
    const isSpread = this.#most > this.#least;
    const [low, high] = [figureText(measure, this.#least), figureText(measure, this.#most)];
    const hasIntervals = arms.some((one) => one.low !== undefined);
    const told = arms.some(({ against }) => significance(against, measure) !== null);
    return [
      ...(isSpread ? [`${blocks[0]} is ${low}, ${blocks.at(-1)} ${high}.`] : []),
      ...(hasIntervals ? [`±: ${Number((100 * level).toFixed(3))} % interval over ${units.length} seeds.`] : []),
      ...(told ? [`${marks.better} better, ${marks.worse} worse than ${reference}, significantly.`] : []),
    ];
  }

  #block(value: number): string {
    const spread = this.#most - this.#least;
    if (spread <= 0) return blocks[3] ?? '';
    return blocks[Math.round(((value - this.#least) / spread) * (blocks.length - 1))] ?? '';
  }
}

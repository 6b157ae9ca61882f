// A row a run: who redesigned, how far it is, how good it got and on what course, and what it took. What is the same of all
// is said once.
import type { Compared, ComparedRun } from '../../../schemas/compare-output.ts';
import type { Context } from '../context.ts';
import { shareSpan, sparkline } from '../output/curve.ts';
import { money } from '../output/money.ts';
import { type Column, longestName, note, type Part, table } from '../output/page/page.ts';
import { count } from '../output/quantity.ts';
import { percent, rateText } from '../runs/figures.ts';
import { stripOf } from '../runs/strip.ts';

const right = { align: 'right' } as const;
const longestWord = 14;
const sparkColumns = 16;

type Word = readonly [title: string, of: (run: ComparedRun) => string | null];

const words: readonly Word[] = [
  ['environment', ({ environment }) => environment],
  ['engineer', ({ engineer }) => engineer],
  ['form', ({ form }) => form],
  ['seed', ({ seed }) => (seed === null ? null : String(seed))],
];

export function runsParts(context: Pick<Context, 'paint'>, told: Compared): readonly Part[] {
  const { runs } = told;
  const same = words.filter(([, of]) => isSame(runs, of));
  const strip = stripOf(
    runs.map(({ shares }) => shares),
    context.paint,
  );
  const columns: readonly Column[] = [
    { title: 'run', paint: context.paint.bold, most: longestName, cells: runs.map(({ label }) => label) },
    ...words.filter((word) => !same.includes(word)).map(([title, of]) => wordColumn(title, runs.map(of))),
    { title: 'stages', ...right, cells: runs.map(stagesText) },
    { title: 'state', cells: runs.map(stateText) },
    { title: `${told.measure} %`, ...right, cells: runs.map(({ rate }) => rateText(rate)) },
    { title: 'by stage', paint: context.paint.green, cells: courses(runs) },
    { title: 'mix', paint: strip.paint, cells: runs.map(({ shares }) => strip.of(shares)) },
    { title: 'signal', ...right, cells: runs.map(({ signal }) => percent(signal)) },
    ...suiteColumns(told),
    ...amountColumns(runs),
  ];
  const alike = [
    ...same.flatMap(([title, of]) => {
      const word = runs[0] === undefined ? null : of(runs[0]);
      return word === null ? [] : [`${title} ${word}`];
    }),
    ...spentAlike(runs),
  ];
  return [
    ...(alike.length === 0 ? [] : [note(`All of them: ${alike.join(', ')}.`)]),
    table(columns, { repeats: true }),
    ...legend(columns, told, strip.legend),
  ];
}

function isSame(runs: readonly ComparedRun[], of: Word[1]): boolean {
  return new Set(runs.map(of)).size === 1;
}

function wordColumn(title: string, cells: readonly (string | null)[]): Column {
  return { title, most: longestWord, ...(title === 'seed' ? right : {}), cells: cells.map((cell) => cell ?? '') };
}

function stagesText({ done, planned, stage }: ComparedRun): string {
  const all = planned === null ? count(done) : `${count(done)}/${count(planned)}`;
  return stage !== null && stage !== done ? `${stage} of ${planned === done ? count(done) : all}` : all;
}

/** Only where something may come yet, or came to a bad end. */
function stateText({ state }: ComparedRun): string {
  return ['completed', 'recorded'].includes(state) ? '' : state;
}

/** On one scale, so that they can be held against each other. */
function courses(runs: readonly ComparedRun[]): readonly string[] {
  const values = runs.map(({ course }) => course.map(({ value }) => value));
  const span = shareSpan(values.flat());
  return values.map((own) => (own.length < 2 ? '' : sparkline(own, sparkColumns, span)));
}

/** Of all that was evaluated beside what runs are compared by. */
function suiteColumns({ runs, suite: chosen, measure }: Compared): readonly Column[] {
  const evaluated = runs.flatMap(({ suites }) => suites);
  const isOwn = ({ suite, split }: (typeof evaluated)[number]): boolean =>
    chosen === null ? split === 'validation' : suite === chosen;
  const names = [...new Set(evaluated.filter((one) => !isOwn(one)).map(({ suite }) => suite))];
  const shown = measure === 'optimal' ? 'optimal' : 'valid';
  return names.map((name) => ({
    title: name,
    ...right,
    cells: runs.map(({ suites }) => percent(suites.findLast(({ suite }) => suite === name)?.[shown].value ?? null)),
  }));
}

function unitsIn(runs: readonly ComparedRun[]): readonly string[] {
  return [...new Set(runs.flatMap(({ spent }) => Object.keys(spent)))];
}

function spentAlike(runs: readonly ComparedRun[]): readonly string[] {
  return unitsIn(runs).flatMap((unit) => {
    const [amount, ...others] = new Set(runs.flatMap(({ spent }) => spent[unit] ?? []));
    return amount === undefined || others.length > 0 ? [] : [`${count(amount)} ${unit}`];
  });
}

function amountColumns(runs: readonly ComparedRun[]): readonly Column[] {
  const alike = spentAlike(runs);
  const units = unitsIn(runs).filter((unit) => !alike.some((text) => text.endsWith(` ${unit}`)));
  const currencies = [...new Set(runs.flatMap(({ cost }) => Object.keys(cost)))];
  return [
    ...units.map((unit) => ({
      title: unit,
      ...right,
      cells: runs.map(({ spent }) => (spent[unit] === undefined ? '' : count(spent[unit]))),
    })),
    { title: 'tokens', ...right, cells: runs.map(({ tokens }) => (tokens === null ? '' : count(tokens))) },
    ...currencies.map((currency) => ({
      title: 'cost',
      ...right,
      cells: runs.map(({ cost }) => (cost[currency] === undefined ? '' : money(cost[currency], currency))),
    })),
  ];
}

function legend(columns: readonly Column[], { runs }: Compared, mix: string | null): readonly Part[] {
  const has = (title: string): boolean => columns.some((one) => one.title === title && one.cells.some(Boolean));
  const tall = shareSpan(runs.flatMap(({ course }) => course.map(({ value }) => value))).to;
  const words = [
    ...(has('by stage') ? [`by stage: the same after each stage, from 0 to ${percent(tall)} %.`] : []),
    ...(has('signal') ? ['signal: sample groups whose rewards differed, in %.'] : []),
    ...(mix === null ? [] : [mix]),
  ];
  const told = [
    ...(runs.some(({ rate }) => rate.low !== null) ? ['In brackets 95 % intervals, each by itself.'] : []),
    ...words,
  ];
  return told.length === 0 ? [] : [note(told.join(' '))];
}

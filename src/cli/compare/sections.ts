// What a comparison says, as a page: the runs, how much better each is, what could not be compared, and what was set otherwise.
import type { Apart, Compared, ComparedSet, RunDifference } from '../../../schemas/compare-output.ts';
import { listed } from '../../base/listed.ts';
import type { Context } from '../context.ts';
import { type Column, gap, longestName, note, type Page, type Part, table } from '../output/page/page.ts';
import { counted } from '../output/quantity.ts';
import { percent, pointsText, rateText } from '../runs/figures.ts';
import { taskPairsParts } from '../task-pairs.ts';
import { runsParts } from './runs.ts';
import { settingsParts } from './settings.ts';

const right = { align: 'right' } as const;

export function pageOf(context: Pick<Context, 'paint'>, told: Compared): Page {
  const sections = [
    runsParts(context, told),
    ...told.sets.map((set) => setParts(context, set, told)),
    apartParts(told.apart),
    settingsParts(told),
    told.notes.map(note),
  ];
  return { title: titleOf(told), sections: sections.filter(({ length }) => length > 0) };
}

function titleOf({ runs, measure, sets }: Compared): string {
  const suites = [...new Set(sets.map(({ suite }) => suiteName(suite.suite)))];
  const by = suites.length === 0 ? '' : ` by ${suites.join(', ')}: ${measure}`;
  return `${counted(runs.length, 'run')} compared${by}`;
}

function suiteName(suite: string): string {
  return suite === 'probe' ? 'the probe pool' : suite;
}

function setParts(context: Pick<Context, 'paint'>, set: ComparedSet, told: Compared): readonly Part[] {
  const { differences, warnings, notes } = set;
  return [
    { kind: 'heading', text: headingOf(set) },
    ...(set.arms.length === 0 ? [] : [armsTable(context, set), gap]),
    ...(differences.length === 0 ? [] : [differencesTable(context, set)]),
    ...familiesParts(set, told),
    ...tasksParts(context, set),
    ...(warnings.length + notes.length === 0 ? [] : [gap, ...warnings.map(warned), ...notes.map(note)]),
  ];
}

function headingOf({ stage, suite, baseline, differences }: ComparedSet): string {
  const when = stage === null ? 'Against' : `After stage ${stage}, against`;
  const size = suite.tasks === null ? '' : ` of ${counted(suite.tasks, 'task')}`;
  const units = new Set(
    differences.flatMap(({ pairs, units }) =>
      pairs === null ? [] : [counted(units, `pair of ${pairs}`, `pairs of ${pairs}`)],
    ),
  );
  const [pairs] = units;
  return `${when} ${baseline}, by ${suiteName(suite.suite)}${size}${units.size === 1 ? `, in ${pairs}` : ''}`;
}

function armsTable({ paint }: Pick<Context, 'paint'>, { arms, baseline }: ComparedSet): Part {
  return table([
    { title: 'arm', paint: paint.bold, most: longestName, cells: arms.map(({ arm }) => arm) },
    {
      title: 'seeds',
      ...right,
      cells: arms.map(({ runs }) => String(runs.filter(({ value }) => value !== null).length)),
    },
    { title: 'mean', ...right, cells: arms.map(({ mean }) => percent(mean)) },
    { title: '95 % interval', ...right, cells: arms.map(({ low, high }) => spanText(low, high, percentOf)) },
    { title: 'spread', ...right, cells: arms.map(({ deviation }) => (deviation === null ? '' : percentOf(deviation))) },
    { title: '', cells: arms.map(({ arm }) => (arm === baseline && arms.length > 1 ? 'baseline' : '')) },
  ]);
}

function percentOf(value: number): string {
  return (100 * value).toFixed(1);
}

function signed(value: number): string {
  return pointsText(0, value);
}

function spanText(low: number | null, high: number | null, text: (value: number) => string): string {
  return low === null || high === null ? '' : `[${text(low)}, ${text(high)}]`;
}

function differencesTable({ paint }: Pick<Context, 'paint'>, { differences, unit }: ComparedSet): Part {
  const pairs = differences.find((one) => one.pairs !== null)?.pairs ?? 'families';
  const isSame = new Set(differences.flatMap((one) => (one.pairs === null ? [] : [one.units]))).size === 1;
  return table([
    {
      title: unit === 'seed' ? 'arm' : 'run',
      paint: paint.bold,
      most: longestName,
      cells: differences.map(({ of }) => of),
    },
    {
      title: 'points',
      ...right,
      cells: differences.map(({ difference }) => (difference === null ? '' : signed(difference))),
    },
    { title: '95 % interval', ...right, cells: differences.map(({ low, high }) => spanText(low, high, signed)) },
    { title: 'p', ...right, cells: differences.map(({ adjusted }) => chanceText(adjusted)) },
    { title: 'effect', ...right, cells: differences.map(({ effect }) => (effect === null ? '' : effect.toFixed(1))) },
    { title: pairs, ...right, cells: differences.map((one) => pairsText(one, isSame)) },
    { title: '', wraps: true, cells: differences.map(saysText) },
  ]);
}

/** On how many pairs it was better, on how many worse; the heading says of how many, where these are the same for all. */
function pairsText({ units, better, worse, pairs }: RunDifference, isSame: boolean): string {
  if (pairs === null) return '';
  return isSame ? `+${better} -${worse}` : `+${better} -${worse} of ${units}`;
}

/** Points are what the column beside it is in. */
function saysText({ says, unitsNeeded }: RunDifference): string {
  const said = says.replaceAll(/ points?(?=,|$)/g, '');
  return unitsNeeded === null ? said : `${said}; about ${unitsNeeded} seeds would show so much`;
}

const leastShown = 0.001;

function chanceText(p: number | null): string {
  if (p === null) return '';
  return p < leastShown ? `<${leastShown}` : p.toFixed(3);
}

/** Only where there are two runs: of more, nobody could read them. */
function familiesParts({ differences }: ComparedSet, { measure }: Compared): readonly Part[] {
  const [only, ...others] = differences;
  const families = only?.families.filter(({ difference }) => difference !== null) ?? [];
  if (only === undefined || others.length > 0 || families.length === 0 || only.verdict === 'same') return [];
  const columns: readonly Column[] = [
    { title: `${measure} % in`, cells: families.map(({ family }) => family), most: longestName },
    { title: only.against, ...right, most: longestName, cells: families.map(({ against }) => rateText(against)) },
    { title: only.of, ...right, most: longestName, cells: families.map(({ of }) => rateText(of)) },
    {
      title: 'points',
      ...right,
      cells: families.map(({ difference }) => (difference === null ? '' : signed(difference))),
    },
  ];
  return [gap, table(columns)];
}

/** Where the seed is the unit, what came of single tasks within each. */
function tasksParts({ paint }: Pick<Context, 'paint'>, { tasks, suite }: ComparedSet): readonly Part[] {
  const pairs = tasks.map(({ of, against, ...one }) => ({ ...one, contrast: `${of} against ${against}` }));
  const parts = taskPairsParts(pairs, suiteName(suite.suite), paint);
  return parts.length === 0 ? [] : [gap, ...parts];
}

function apartParts(apart: readonly Apart[]): readonly Part[] {
  if (apart.length === 0) return [];
  return [{ kind: 'heading', text: 'Not compared' }, ...apart.map((one) => warned(apartText(one)))];
}

function warned(text: string): Part {
  return { kind: 'text', tone: 'warning', text };
}

function apartText({ runs, from, reasons, remedy }: Apart): string {
  const against = from === null ? '' : `, with ${from}`;
  const why = reasons.map(({ says }) => says).join('; ');
  return `${listed(runs)}${against}: ${why}.${remedy === null ? '' : ` ${remedy}.`}`;
}

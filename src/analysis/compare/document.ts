// A comparison as a document: the runs, how much better each is, what could not be compared, and what was set otherwise.
import type {
  Apart,
  Compared,
  ComparedRun,
  ComparedSet,
  ComparedSetting,
  RunDifference,
} from '../../../schemas/compare-output.ts';
import { listNames } from '../../base/name-lists.ts';
import { jsonText } from '../../base/printable-json.ts';
import { count, counted, money } from '../../base/quantity.ts';
import { truncateText } from '../../base/terminal.ts';
import { type Span, shareSpan, sparkline, stripOf } from '../../document/curve.ts';
import {
  type Block,
  type ColumnOf,
  type Document,
  filled,
  longestName,
  note,
  type Section,
  section,
  table,
  warning,
} from '../../document/document.ts';
import { chanceText, percent, pointsText, rateText } from '../../document/figures.ts';
import { taskPairsSection } from '../task-pairs.ts';

const right = { align: 'right' } as const;

export function compareDocument(compared: Compared): Document {
  return {
    title: titleOf(compared),
    blocks: [],
    sections: filled([
      section(null, runsBlocks(compared)),
      ...compared.sets.map((set) => setSection(set, compared)),
      section(
        'Not compared',
        compared.apart.map((one) => warning(apartText(one))),
      ),
      settingsSection(compared),
      section(null, compared.notes.map(note)),
    ]),
  };
}

function titleOf({ runs, measure, sets }: Compared): string {
  const suites = [...new Set(sets.map(({ suite }) => suiteName(suite.suite)))];
  const by = suites.length === 0 ? '' : ` by ${suites.join(', ')}: ${measure}`;
  return `${counted(runs.length, 'run')} compared${by}`;
}

export function suiteName(suite: string): string {
  return suite === 'probe' ? 'the probe pool' : suite;
}

function setSection(set: ComparedSet, compared: Compared): Section {
  const { arms, differences, tasks, warnings, unrecorded, notes, suite } = set;
  const pairs = tasks.map(({ of, against, ...one }) => ({ ...one, contrast: `${of} against ${against}` }));
  return section(
    headingOf(set),
    [
      ...(arms.length === 0 ? [] : [armsTable(set)]),
      ...(differences.length === 0 ? [] : [differencesTable(set)]),
      ...familiesBlocks(set, compared),
    ],
    {
      sections: filled([
        // Where the seed is the unit, what came of single tasks within each.
        taskPairsSection(pairs, suiteName(suite.suite)),
        section(null, [...[...unrecorded, ...warnings].map(warning), ...notes.map(note)]),
      ]),
    },
  );
}

function headingOf({ stage, suite, baseline, differences }: ComparedSet): string {
  const when = stage === null ? 'Against' : `After stage ${stage}, against`;
  const size = suite.tasks === null ? '' : ` of ${counted(suite.tasks, 'task')}`;
  const units = new Set(
    differences.flatMap(({ pairs, units }) =>
      pairs === null || (pairs === 'tasks' && units === suite.tasks)
        ? []
        : [counted(units, `pair of ${pairs}`, `pairs of ${pairs}`)],
    ),
  );
  const [pairs] = units;
  return `${when} ${baseline}, by ${suiteName(suite.suite)}${size}${units.size === 1 ? `, in ${pairs}` : ''}`;
}

function armsTable({ arms, baseline }: ComparedSet): Block {
  return table(arms, [
    { title: 'arm', mark: 'strong', limit: longestName, cell: ({ arm }) => arm },
    { title: 'seeds', ...right, cell: ({ runs }) => String(runs.filter(({ value }) => value !== null).length) },
    { title: 'mean', ...right, cell: ({ mean }) => percent(mean) },
    { title: '95 % interval', ...right, cell: ({ low, high }) => spanText(low, high, percentOf) },
    { title: 'spread', ...right, cell: ({ deviation }) => (deviation === null ? '' : percentOf(deviation)) },
    { title: '', cell: ({ arm }) => (arm === baseline && arms.length > 1 ? 'baseline' : '') },
  ]);
}

function percentOf(value: number): string {
  return (100 * value).toFixed(1);
}

function signed(value: number): string {
  return pointsText(0, value);
}

export function spanText(low: number | null, high: number | null, text: (value: number) => string): string {
  return low === null || high === null ? '' : `[${text(low)}, ${text(high)}]`;
}

function differencesTable({ differences, unit }: ComparedSet): Block {
  const pairs = differences.find((one) => one.pairs !== null)?.pairs ?? 'families';
  const isSame = new Set(differences.flatMap((one) => (one.pairs === null ? [] : [one.units]))).size === 1;
  return table(differences, [
    { title: unit === 'seed' ? 'arm' : 'run', mark: 'strong', limit: longestName, cell: ({ of }) => of },
    { title: 'points', ...right, cell: ({ difference }) => (difference === null ? '' : signed(difference)) },
    { title: '95 % interval', ...right, cell: ({ low, high }) => spanText(low, high, signed) },
    { title: 'p', ...right, cell: ({ adjusted }) => chanceText(adjusted) },
    { title: 'effect', ...right, cell: ({ effect }) => (effect === null ? '' : effect.toFixed(1)) },
    { title: `${pairs} better, worse`, ...right, cell: (one) => pairsText(one, isSame) },
    { title: 'result', wraps: true, cell: saysText },
  ]);
}

/** On how many pairs it was better, on how many worse; the heading says of how many, where these are the same for all. */
function pairsText({ units, better, worse, pairs }: RunDifference, isSame: boolean): string {
  if (pairs === null) return '';
  return isSame ? `${better}, ${worse}` : `${better}, ${worse} of ${units}`;
}

/** Points are what the column beside it is in. */
export function saysText({ says, unitsNeeded }: RunDifference): string {
  const said = says.replaceAll(/ points?(?=,|$)/g, '');
  return unitsNeeded === null ? said : `${said}; about ${unitsNeeded} seeds would make it significant`;
}

/** Only where there are two runs: of more, nobody could read them. */
function familiesBlocks({ differences }: ComparedSet, { measure }: Compared): readonly Block[] {
  const [only, ...others] = differences;
  const families = only?.families.filter(({ difference }) => difference !== null) ?? [];
  if (only === undefined || others.length > 0 || families.length === 0 || only.verdict === 'same') return [];
  return [
    table(families, [
      { title: `${measure} % in`, cell: ({ family }) => family, limit: longestName },
      { title: only.against, ...right, limit: longestName, cell: ({ against }) => rateText(against) },
      { title: only.of, ...right, limit: longestName, cell: ({ of }) => rateText(of) },
      { title: 'points', ...right, cell: ({ difference }) => (difference === null ? '' : signed(difference)) },
    ]),
  ];
}

export function apartText({ runs, from, reasons, remedy }: Apart): string {
  const against = from === null ? '' : ` with ${from}`;
  const why = reasons.map(({ says }) => says).join('; ');
  return `${listNames(runs)} ${runs.length === 1 ? 'is' : 'are'} not compared${against}: ${why}.${remedy === null ? '' : ` ${remedy}.`}`;
}

const longestWord = 14;
const sparkColumns = 16;

type Word = readonly [title: string, of: (run: ComparedRun) => string | null];

const wordsOfRuns: readonly Word[] = [
  ['environment', ({ environment }) => environment],
  ['engineer', ({ engineer }) => engineer],
  ['context', ({ form }) => form],
  ['seed', ({ seed }) => (seed === null ? null : String(seed))],
];

function runsBlocks(compared: Compared): readonly Block[] {
  const { runs } = compared;
  const same = wordsOfRuns.filter(([, of]) => isSame(runs, of));
  const strip = stripOf(runs.map(({ shares }) => shares));
  const span = spanOf(runs);
  const columns: readonly ColumnOf<ComparedRun>[] = [
    { title: 'run', mark: 'strong', limit: longestName, cell: ({ label }) => label },
    ...wordsOfRuns.filter((word) => !same.includes(word)).map(wordColumn),
    { title: 'stages', ...right, cell: stagesText },
    { title: 'state', cell: stateText },
    { title: `${compared.measure} %`, ...right, cell: ({ rate }) => rateText(rate) },
    { title: 'by stage', mark: 'bars', cell: ({ course }) => courseText(course, span) },
    { title: 'mixture', mark: 'bars', cell: ({ shares }) => strip.of(shares) },
    { title: 'signal', ...right, cell: ({ signal }) => percent(signal) },
    ...suiteColumns(compared),
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
    ...(alike.length === 0 ? [] : [note(`All runs: ${alike.join(', ')}.`)]),
    table(runs, columns, { repeats: true }),
    ...legend(compared, strip.legend),
  ];
}

function isSame(runs: readonly ComparedRun[], of: Word[1]): boolean {
  return new Set(runs.map(of)).size === 1;
}

function wordColumn([title, of]: Word): ColumnOf<ComparedRun> {
  return { title, limit: longestWord, ...(title === 'seed' ? right : {}), cell: (run) => of(run) ?? '' };
}

function stagesText({ done, planned, stage }: ComparedRun): string {
  return `${count(stage ?? done)} of ${count(planned ?? done)}`;
}

/** Only where something may come yet, or came to a bad end. */
function stateText({ state }: ComparedRun): string {
  return ['completed', 'recorded'].includes(state) ? '' : state;
}

/** One scale for all, so that they can be compared. */
function spanOf(runs: readonly ComparedRun[]): Span {
  return shareSpan(runs.flatMap(({ course }) => course.map(({ value }) => value)));
}

function courseText(course: ComparedRun['course'], span: Span): string {
  const values = course.map(({ value }) => value);
  return values.length < 2 ? '' : sparkline(values, sparkColumns, span);
}

/** Of all that was evaluated beside what runs are compared by. */
function suiteColumns({ runs, suite: chosen, measure }: Compared): readonly ColumnOf<ComparedRun>[] {
  const evaluated = runs.flatMap(({ suites }) => suites);
  const isOwn = ({ suite, split }: (typeof evaluated)[number]): boolean =>
    chosen === null ? split === 'validation' : suite === chosen;
  const names = [...new Set(evaluated.filter((one) => !isOwn(one)).map(({ suite }) => suite))];
  const shown = measure === 'optimal' ? 'optimal' : 'valid';
  return names.map((name) => ({
    title: name,
    ...right,
    cell: ({ suites }) => percent(suites.findLast(({ suite }) => suite === name)?.[shown].value ?? null),
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

function amountColumns(runs: readonly ComparedRun[]): readonly ColumnOf<ComparedRun>[] {
  const alike = spentAlike(runs);
  const units = unitsIn(runs).filter((unit) => !alike.some((text) => text.endsWith(` ${unit}`)));
  const currencies = [...new Set(runs.flatMap(({ cost }) => Object.keys(cost)))];
  return [
    ...units.map((unit) => ({
      title: unit,
      ...right,
      cell: ({ spent }: ComparedRun) => (spent[unit] === undefined ? '' : count(spent[unit])),
    })),
    { title: 'tokens', ...right, cell: ({ tokens }: ComparedRun) => (tokens === null ? '' : count(tokens)) },
    ...currencies.map((currency) => ({
      title: 'cost',
      ...right,
      cell: ({ cost }: ComparedRun) => (cost[currency] === undefined ? '' : money(cost[currency], currency)),
    })),
  ];
}

function legend({ runs }: Compared, mix: string | null): readonly Block[] {
  const { to } = spanOf(runs);
  const words = [
    ...(runs.some(({ rate }) => rate.low !== null) ? ['In brackets: 95 % intervals of each run alone.'] : []),
    ...(runs.some(({ course }) => course.length > 1)
      ? [`by stage: after each stage, on a scale from 0 to ${percent(to)} %.`]
      : []),
    ...(runs.some(({ signal }) => signal !== null) ? ['signal: % of sample groups whose rewards differ.'] : []),
    ...(mix === null ? [] : [mix]),
  ];
  return words.length === 0 ? [] : [note(words.join(' '))];
}

const inColumns = ['engineer', 'context', 'form.name', 'seed'];
/** Of more values than that, only the number is shown. */
const mostValues = 8;
const longestSetting = 28;
const longestValue = 18;

function settingsSection(compared: Compared): Section {
  const shown = compared.all ? compared.settings : differingIn(compared);
  const parents = new Map(compared.runs.flatMap(parentOf));
  const rows = shown.flatMap((one) => rowsOf(one, parents));
  const blocks = [
    table(rows, [
      { title: 'setting', cell: ([setting]) => setting },
      { title: 'value', limit: longestValue, cell: ([, value]) => value },
      { title: 'runs', wraps: true, cell: ([, , runs]) => runs },
    ]),
  ];
  return section(compared.all ? 'Settings' : 'Other settings that differ', rows.length === 0 ? [] : blocks);
}

/** Among runs that are compared with each other; where none are, without what configures another environment. */
function differingIn({ settings, sets }: Compared): readonly ComparedSetting[] {
  const others = settings.filter(({ setting }) => !inColumns.includes(setting));
  if (sets.length === 0) {
    const isElsewhere = settings.some(({ setting }) => setting === 'environment');
    return others.filter(({ setting }) => !(isElsewhere && setting.startsWith('configuration.')));
  }
  const inSets = new Set(sets.flatMap(({ runs }) => runs));
  return others.flatMap((one) => {
    const values = one.values
      .map(({ value, runs }) => ({ value, runs: runs.filter((run) => inSets.has(run)) }))
      .filter(({ runs }) => runs.length > 0);
    const differs = sets.some(
      (set) => values.filter(({ runs }) => runs.some((run) => set.runs.includes(run))).length > 1,
    );
    return differs ? [{ ...one, values }] : [];
  });
}

/** A fork is shown with the name of its parent and the first stage that it decided itself. */
function parentOf({ parent }: Compared['runs'][number]): readonly (readonly [string, string])[] {
  if (parent === null) return [];
  return [[`${parent.run}@${parent.stage + 1}`, `${parent.name}@${parent.stage + 1}`]];
}

type Row = readonly [setting: string, value: string, runs: string];

/** `parents`: the names of runs that others are forks of. */
function rowsOf(
  { setting, values, isChanged }: ComparedSetting,
  parents: ReadonlyMap<unknown, string>,
): readonly Row[] {
  const name = ending(setting);
  if (!isChanged) return values.map(({ value }) => [name, valueText(value), 'all']);
  if (values.length > mostValues) return [[name, `${values.length} values`, 'see --json']];
  return values.map(({ value, runs }, i) => [
    i === 0 ? name : '',
    parents.get(value) ?? valueText(value),
    listNames(runs.map((run) => truncateText(run, longestName))),
  ]);
}

function valueText(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'string' ? value : jsonText(value);
}

/** What a setting is called within the others comes last. */
function ending(setting: string): string {
  const letters = [...setting];
  return letters.length <= longestSetting ? setting : `…${letters.slice(1 - longestSetting).join('')}`;
}

// What runs were set to otherwise: each value with the runs that have it. What stands in a column of its own is not repeated.
import type { Compared, ComparedSetting } from '../../../schemas/compare-output.ts';
import { listed } from '../../base/listed.ts';
import { jsonText } from '../output/json.ts';
import { longestName, type Part, table } from '../output/page/page.ts';
import { fitted } from '../output/width.ts';

const inColumns = ['engineer', 'context', 'form.name', 'seed'];
/** Of more values than that, only how many there are is told. */
const mostValues = 8;
const longestSetting = 28;
const longestValue = 18;

export function settingsParts(told: Compared): readonly Part[] {
  const shown = told.all ? told.settings : differingIn(told);
  if (shown.length === 0) return [];
  const parents = new Map(told.runs.flatMap(parentOf));
  const rows = shown.flatMap((one) => rowsOf(one, parents));
  return [
    { kind: 'heading', text: told.all ? 'Settings' : 'Other settings that differ' },
    table([
      { title: 'setting', cells: rows.map(([setting]) => setting) },
      { title: 'value', most: longestValue, cells: rows.map(([, value]) => value) },
      { title: 'runs', wraps: true, cells: rows.map(([, , runs]) => runs) },
    ]),
  ];
}

/** Among runs that are compared with each other; where none are, without what configures another environment. */
function differingIn({ settings, sets }: Compared): readonly ComparedSetting[] {
  const others = settings.filter(({ setting }) => !inColumns.includes(setting));
  if (sets.length === 0) {
    const isElsewhere = settings.some(({ setting }) => setting === 'environment');
    return others.filter(({ setting }) => !(isElsewhere && setting.startsWith('configuration.')));
  }
  const compared = new Set(sets.flatMap(({ runs }) => runs));
  return others.flatMap((one) => {
    const values = one.values
      .map(({ value, runs }) => ({ value, runs: runs.filter((run) => compared.has(run)) }))
      .filter(({ runs }) => runs.length > 0);
    const differs = sets.some(
      (set) => values.filter(({ runs }) => runs.some((run) => set.runs.includes(run))).length > 1,
    );
    return differs ? [{ ...one, values }] : [];
  });
}

/** A fork is told by the name of its parent. */
function parentOf({ parent }: Compared['runs'][number]): readonly (readonly [string, string])[] {
  if (parent === null) return [];
  return [[`${parent.run}@${parent.stage}`, `${parent.name}@${parent.stage}`]];
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
    listed(runs.map((run) => fitted(run, longestName))),
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

// What runs were set to otherwise: each value with the runs that have it. What stands in a column of its own is not repeated.
import type { Compared, ComparedSetting } from '../../../schemas/compare-output.ts';
import { jsonText } from '../output/json.ts';
import { fitted } from '../output/width.ts';
import { listed, longestName, type Part, table } from './page.ts';

const inColumns = ['engineer', 'context', 'form.name', 'seed'];
/** Of more values than that, only how many there are is told. */
const mostValues = 8;

export function settingsParts({ settings, all, runs }: Compared): readonly Part[] {
  const shown = all ? settings : settings.filter(({ setting }) => !inColumns.includes(setting));
  if (shown.length === 0) return [];
  const parents = new Map(
    runs.flatMap(({ parent }) =>
      parent === null ? [] : [[`${parent.run}@${parent.stage}`, `${parent.name}@${parent.stage}`]],
    ),
  );
  const rows = shown.flatMap((one) => rowsOf(one, parents));
  return [
    { kind: 'heading', text: all ? 'Settings' : 'Other settings that differ' },
    table([
      { title: 'setting', most: longestName + 8, cells: rows.map(([setting]) => setting) },
      { title: 'value', most: longestName, cells: rows.map(([, value]) => value) },
      { title: 'runs', wraps: true, cells: rows.map(([, , runs]) => runs) },
    ]),
  ];
}

type Row = readonly [setting: string, value: string, runs: string];

/** `parents`: the names of runs that others are forks of. */
function rowsOf(
  { setting, values, isChanged }: ComparedSetting,
  parents: ReadonlyMap<unknown, string>,
): readonly Row[] {
  if (!isChanged) return values.map(({ value }) => [setting, valueText(value), 'all']);
  if (values.length > mostValues) return [[setting, `${values.length} values`, 'see --json']];
  return values.map(({ value, runs }, i) => [
    i === 0 ? setting : '',
    parents.get(value) ?? valueText(value),
    listed(runs.map((run) => fitted(run, longestName))),
  ]);
}

function valueText(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'string' ? value : jsonText(value);
}

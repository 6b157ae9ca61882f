// What differs between two stages, in a screenful: the result first, then a row a family. `diffDocument` has the rest.
import type { DiffResult } from '../../../schemas/run-output.ts';
import { counted } from '../../base/quantity.ts';
import { truncateText } from '../../base/terminal.ts';
import {
  type ColumnOf,
  type Document,
  filled,
  note,
  paragraph,
  right,
  section,
  table,
} from '../../document/document.ts';
import { courseWithPoints, shortTurnText, wholeCourse, wholePoints, wholeRate } from '../../document/figures.ts';
import { wordOf } from '../../producers/history/configurations.ts';
import { settingText } from './difference-document.ts';
import { addUpToOne } from './failure-shares.ts';

export function diffAnswer(diff: DiffResult): Document {
  const [from, to] = [diff.from, diff.to].map(({ name, stage }) => `${name}@${stage}`);
  const families = familiesIn(diff);
  return {
    title: `${from} → ${to}: ${diff.identical ? 'nothing differs' : headline(diff)}`,
    blocks: settingLines(diff).map((text) => paragraph(text)),
    sections: filled([
      section(null, families.length === 0 ? [] : [table(families.slice(0, mostFamilies), columnsOf(diff))]),
      section(null, legend(diff, families.length).map(note)),
    ]),
  };
}

function headline({ evaluation, knobs }: DiffResult): string {
  const all = evaluation.find(({ family, measure }) => family === null && measure === 'valid');
  const changed = knobs.filter(({ isChanged }) => isChanged).length;
  return [
    ...(all === undefined ? [] : [validText(all)]),
    changed === 0 ? 'the same configuration' : `${counted(changed, 'knob')} changed`,
  ].join(', ');
}

/** `valid 63 → 77 % (+14 points, intervals do not overlap)` */
function validText({ from, to, overlap }: DiffResult['evaluation'][number]): string {
  const { course, points } = courseWithPoints(from.value, to.value);
  const sure = overlap === null ? '' : overlap ? ', intervals overlap' : ', intervals do not overlap';
  return `valid ${course}${points === '' ? '' : ` (${points}${sure})`}`;
}

const mostSettings = 3;
const longestSetting = 40;

/** Two runs may have been set otherwise; their configurations are compared knob by knob. */
function settingLines({ settings }: DiffResult): readonly string[] {
  const changed = settings.filter(({ setting, isChanged }) => isChanged && !setting.startsWith('configuration.'));
  if (changed.length === 0) return [];
  const text = (value: unknown): string => truncateText(settingText(value), longestSetting);
  const named = changed.slice(0, mostSettings).map(({ setting, from, to }) => `${setting} ${text(from)} → ${text(to)}`);
  const more = changed.length > mostSettings ? ` and ${changed.length - mostSettings} more` : '';
  return [`Settings that differ: ${named.join(', ')}${more}.`];
}

const mostFamilies = 12;

/** Null: knobs that concern all families. */
function familiesIn({ knobs, evaluation }: DiffResult): readonly (string | null)[] {
  const changed = knobs.filter(({ isChanged }) => isChanged);
  const differing = [...evaluation.filter(({ isChanged }) => isChanged), ...changed];
  const named = differing.flatMap(({ family }) => family ?? []);
  const common = changed.some(({ family }) => family === null) ? [null] : [];
  return [...common, ...new Set(named)];
}

function columnsOf({ knobs, evaluation }: DiffResult): readonly ColumnOf<string | null>[] {
  const rateOf = (family: string | null) =>
    evaluation.find((one) => one.family === family && one.measure === 'valid') ?? null;
  return [
    { title: 'family', cell: (family) => family ?? 'all' },
    right('valid % before', (family) => wholeRate(rateOf(family)?.from ?? unknown)),
    right('after', (family) => wholeRate(rateOf(family)?.to ?? unknown)),
    right('points', (family) => {
      const rate = rateOf(family);
      if (rate === null) return '';
      return `${wholePoints(rate.from.value, rate.to.value)}${rate.overlap === false ? ' *' : ''}`;
    }),
    {
      title: 'knobs that changed',
      cell: (family) => {
        const changed = knobs.filter((one) => one.family === family && one.isChanged);
        return changed.map((one) => `${wordOf(one)} ${shortTurnText(one)}`).join(', ');
      },
    },
  ];
}

const unknown = { value: null, count: null, of: null, low: null, high: null } as const;

function legend({ evaluation, failures, failuresFrom }: DiffResult, families: number): readonly string[] {
  const rest = families - mostFamilies;
  const isSure = evaluation.some(({ overlap, family }) => overlap === false && family !== null);
  return [
    ...(rest > 0 ? [`${counted(rest, 'more family', 'more families')}: --verbose`] : []),
    ...(isSure
      ? ['*: the 95 % intervals do not overlap. A family may also improve because it was trained longer.']
      : []),
    ...failuresText(failures, failuresFrom),
  ];
}

const mostClasses = 3;

/** On either side, unless nothing failed there. */
function areSharesOfFailures(failures: DiffResult['failures']): boolean {
  const overall = failures.filter(({ family }) => family === null);
  return [overall.map(({ from }) => from), overall.map(({ to }) => to)].every(
    (shares) => shares.every((share) => (share ?? 0) === 0) || addUpToOne(shares),
  );
}

/** Over all families, the classes whose share changed most. */
function failuresText(failures: DiffResult['failures'], from: string | null): readonly string[] {
  const moved = failures
    .flatMap(({ class: name, family, from, to }) =>
      family === null && from !== null && to !== null && from !== to ? [{ name, from, to }] : [],
    )
    .toSorted((one, other) => Math.abs(other.to - other.from) - Math.abs(one.to - one.from))
    .slice(0, mostClasses);
  if (moved.length === 0) return [];
  const what = areSharesOfFailures(failures)
    ? `What the failures on ${from} were`
    : `Failures on ${from}, in % of all its rollouts`;
  return [
    `${what}, the largest changes: ${moved.map(({ name, from, to }) => `${name} ${wholeCourse(from, to)}`).join(', ')}.`,
  ];
}

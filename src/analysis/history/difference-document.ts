// What differs between two stages, as a document with a table for settings, knobs, results, signal and failures.
import type { DiffResult } from '../../../schemas/run-output.ts';
import { jsonText } from '../../base/printable-json.ts';
import {
  type Block,
  type ColumnOf,
  type Document,
  filled,
  note,
  paragraph,
  type Section,
  section,
  table,
} from '../../document/document.ts';
import { knobText, percent, pointsText, rateText, stepsText } from '../../document/figures.ts';

export function diffDocument(diff: DiffResult): Document {
  const [from, to] = [diff.from, diff.to].map(({ name, stage }) => `${name}@${stage}`);
  const title = `${from} → ${to}`;
  if (diff.identical && !diff.all) {
    const sections = [section(null, [paragraph(`Nothing differs in ${comparedText(diff)}.`)])];
    return { title, blocks: [], sections };
  }
  return {
    title,
    blocks: [],
    sections: filled([
      section(null, diff.identical ? [paragraph('Nothing differs.')] : []),
      settingsSection(diff.settings),
      knobsSection(diff.knobs),
      evaluationSection(diff.evaluation),
      sharesSection('learning signal, %', diff.signal, []),
      sharesSection('failures, %', diff.failures, [{ title: 'class', cell: ({ class: name }) => name }]),
    ]),
  };
}

function comparedText({ from, to }: DiffResult): string {
  const settings = from.run === to.run ? [] : ['settings'];
  return [...settings, 'knobs', 'validation', 'learning signal', 'failures'].join(', ');
}

/** Empty where there are no rows. */
function tableSection<Row>(
  title: string,
  rows: readonly Row[],
  columns: readonly ColumnOf<Row>[],
  legend: readonly Block[] = [],
): Section {
  return section(title, rows.length === 0 ? [] : [table(rows, columns), ...legend]);
}

function settingsSection(settings: DiffResult['settings']): Section {
  const changed = settings.filter(({ isChanged }) => isChanged);
  return tableSection('settings that differ', changed, [
    { title: 'setting', cell: ({ setting }) => setting },
    { title: 'from', cell: ({ from }) => settingText(from) },
    { title: 'to', wraps: true, cell: ({ to }) => settingText(to) },
  ]);
}

export function settingText(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'string' ? value : jsonText(value);
}

function knobsSection(knobs: DiffResult['knobs']): Section {
  return tableSection('knobs', knobs, [
    { title: 'knob', cell: ({ knob }) => knob },
    { title: 'from', align: 'right', cell: ({ from }) => knobText(from) },
    { title: 'to', align: 'right', cell: ({ to }) => knobText(to) },
    { title: '', align: 'right', cell: ({ isChanged, steps }) => (isChanged ? stepsText(steps) : 'same') },
    { title: 'reason', wraps: true, cell: reasonText },
  ]);
}

function reasonText({ cites, reason }: DiffResult['knobs'][number]): string {
  const cited = cites === null || cites.length === 0 ? '' : cites.join(', ');
  return [cited, reason ?? ''].filter((text) => text !== '').join(': ');
}

function evaluationSection(rows: DiffResult['evaluation']): Section {
  return tableSection(
    'validation',
    rows,
    [
      { title: 'family', cell: ({ family }) => family ?? 'all' },
      { title: 'measure', cell: ({ measure }) => measure },
      { title: 'from', align: 'right', cell: ({ from }) => rateText(from) || '-' },
      { title: 'to', align: 'right', cell: ({ to }) => rateText(to) || '-' },
      { title: 'points', align: 'right', cell: ({ from, to }) => pointsText(from.value, to.value) },
      { title: 'intervals', cell: ({ overlap }) => (overlap === null ? '' : overlap ? 'overlap' : 'do not overlap') },
    ],
    [note('In %, with 95 % intervals. Intervals that overlap do not prove that there is no difference.')],
  );
}

interface ShareRow {
  readonly family: string | null;
  readonly from: number | null;
  readonly to: number | null;
}

function sharesSection<Row extends ShareRow>(
  title: string,
  rows: readonly Row[],
  more: readonly ColumnOf<Row>[],
): Section {
  return tableSection(title, rows, [
    { title: 'family', cell: ({ family }) => family ?? 'all' },
    ...more,
    { title: 'from', align: 'right', cell: ({ from }) => percent(from) || '-' },
    { title: 'to', align: 'right', cell: ({ to }) => percent(to) || '-' },
    { title: 'points', align: 'right', cell: ({ from, to }) => pointsText(from, to) },
  ]);
}

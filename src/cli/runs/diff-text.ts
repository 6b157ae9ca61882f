// Two stages for the eye, held against each other: a table a kind of thing that differs.
import type { DiffResult } from '../../../schemas/run-output.ts';
import type { Context } from '../context.ts';
import { jsonText } from '../output/json.ts';
import { type Column, table } from '../output/table.ts';
import { visible } from '../output/visible.ts';
import { knobText, percent, pointsText, rateText, stepsText } from './figures.ts';
import { paragraph } from './section.ts';

export function diffText(context: Context, told: DiffResult): string {
  const { paint } = context;
  const [from, to] = [told.from, told.to].map(({ name, stage }) => visible(`${name}@${stage}`));
  const head = `${paint.bold(`${from} → ${to}`)}\n`;
  if (told.identical && !told.all) return `${head}\nNothing differs: ${whatIsCompared(told)}.\n`;
  const parts = [
    head,
    told.identical ? 'Nothing differs.\n' : '',
    settingsText(context, told.settings),
    knobsText(context, told.knobs),
    evaluationText(context, told.evaluation),
    signalText(context, told.signal),
    failuresText(context, told.failures),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function whatIsCompared({ from, to }: DiffResult): string {
  const settings = from.run === to.run ? [] : ['settings'];
  return [...settings, 'knobs', 'validation', 'learning signal', 'failures'].join(', ');
}

const right = { align: 'right' } as const;

function titled({ paint, io }: Context, title: string, columns: readonly Column[], rows: readonly string[][]): string {
  if (rows.length === 0) return '';
  const indented = rows.map(([first = '', ...others]) => [`  ${first}`, ...others]);
  return `${paint.bold(title)}\n${table(columns, indented, io.stdout)}`;
}

function settingsText(context: Context, settings: DiffResult['settings']): string {
  const rows = settings.map(({ setting, from, to }) => [visible(setting), settingText(from), settingText(to)]);
  return titled(context, 'settings', [{ title: '  setting' }, { title: 'from' }, { title: 'to', wraps: true }], rows);
}

function settingText(value: unknown): string {
  if (value === null) return '-';
  return visible(typeof value === 'string' ? value : jsonText(value));
}

function knobsText(context: Context, knobs: DiffResult['knobs']): string {
  const rows = knobs.map((one) => [
    visible(one.knob),
    knobText(one.from),
    knobText(one.to),
    one.isChanged ? stepsText(one.steps) : 'the same',
    visible(whyText(one)),
  ]);
  const columns = [
    { title: '  knob' },
    { title: 'from', ...right },
    { title: 'to', ...right },
    { title: '', ...right },
    { title: 'why', wraps: true as const },
  ];
  const shown = rows.every((row) => row.at(-1) === '') ? columns.slice(0, -1) : columns;
  return titled(
    context,
    'knobs',
    shown,
    rows.map((row) => row.slice(0, shown.length)),
  );
}

function whyText({ cites, reason }: DiffResult['knobs'][number]): string {
  const cited = cites === null || cites.length === 0 ? '' : cites.join(', ');
  return [cited, reason ?? ''].filter((text) => text !== '').join(': ');
}

function evaluationText(context: Context, rows: DiffResult['evaluation']): string {
  const columns = [
    { title: '  family' },
    { title: 'measure' },
    { title: 'from', ...right },
    { title: 'to', ...right },
    { title: 'points', ...right },
    { title: 'intervals' },
  ];
  const cells = rows.map(({ family, measure, from, to, overlap }) => [
    visible(family ?? 'all'),
    visible(measure),
    rateText(from) || '-',
    rateText(to) || '-',
    pointsText(from.value, to.value),
    overlap === null ? '' : overlap ? 'overlap' : 'apart',
  ]);
  const legend =
    rows.length === 0
      ? ''
      : 'In %, with 95 % intervals: where they lie apart there is a difference, where they overlap there may be one.';
  const shown = titled(context, 'validation', columns, cells);
  return legend === '' ? shown : shown + paragraph(context, legend, context.paint.dim, '  ');
}

function signalText(context: Context, rows: DiffResult['signal']): string {
  const columns = [
    { title: '  family' },
    { title: 'from', ...right },
    { title: 'to', ...right },
    { title: 'points', ...right },
  ];
  const cells = rows.map(({ family, from, to }) => [
    visible(family ?? 'all'),
    percent(from) || '-',
    percent(to) || '-',
    pointsText(from, to),
  ]);
  return titled(context, 'learning signal, %', columns, cells);
}

function failuresText(context: Context, rows: DiffResult['failures']): string {
  const columns = [
    { title: '  family' },
    { title: 'class' },
    { title: 'from', ...right },
    { title: 'to', ...right },
    { title: 'points', ...right },
  ];
  const cells = rows.map(({ family, class: name, from, to }) => [
    visible(family ?? 'all'),
    visible(name),
    percent(from) || '-',
    percent(to) || '-',
    pointsText(from, to),
  ]);
  return titled(context, 'failures, %', columns, cells);
}

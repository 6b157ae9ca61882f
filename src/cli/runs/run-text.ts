// A run for the eye: what it was asked, its stages in a table, what was changed before each of them, benchmarks, notes.
import type { RunShown, StageRow } from '../../../schemas/run-output.ts';
import type { Context } from '../context.ts';
import { moment } from '../events/forms.ts';
import { count, counted } from '../output/quantity.ts';
import { type Column, table } from '../output/table.ts';
import { visible } from '../output/visible.ts';
import { alertLines } from './alerts.ts';
import { decisionText } from './decision-text.ts';
import { percent, rateText } from './figures.ts';
import { notesText, unknownText } from './notes-text.ts';
import { askedRows } from './run-head.ts';
import { paragraph, section } from './section.ts';
import { stripOf } from './strip.ts';

/** `leftOut`: a sentence on what is not shown; empty where everything is. */
export function runText(context: Context, told: RunShown, leftOut: string): string {
  const { paint, io } = context;
  const head = table(
    [
      { title: '', paint: paint.dim },
      { title: '', wraps: true },
    ],
    askedRows(told),
    io.stdout,
  );
  const parts = [
    `${paint.bold(visible(told.name))}  ${visible(standingText(told))}\n${failureText(told)}${head}`,
    stagesText(context, told.stages),
    decisionsText(context, told),
    section(context, 'alerts', alertLines(told.stages)),
    benchmarksText(context, told),
    leftOut === '' ? '' : paragraph(context, leftOut),
    notesText(context, told.notes),
    unknownText(context, told.opaque),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function standingText({ state, holder, done, planned, stages, at }: RunShown): string {
  const shared = stages.filter(({ isShared }) => isShared).length;
  const words = [
    holder === null ? state : `${state}, in the hands of ${holder}`,
    `${planned === null ? counted(done, 'stage') : `${count(done)} of ${counted(planned, 'stage')}`} done`,
    ...(shared === 0 ? [] : [`${count(shared)} of them shared`]),
    ...(at === null ? [] : [`begun ${moment(at)}`]),
  ];
  return words.join(', ');
}

function failureText({ failure }: RunShown): string {
  if (failure === null) return '';
  const during = failure.during === null ? '' : ` during ${failure.during}`;
  return `  ${visible(`${failure.reason}${during}: ${failure.message}`)}\n`;
}

function stagesText({ paint, io }: Context, stages: readonly StageRow[]): string {
  if (stages.length === 0) return 'No stage has begun.\n';
  const strip = stripOf(
    stages.map(({ shares }) => shares),
    paint,
  );
  const right = { align: 'right' } as const;
  const all: readonly (Column & { readonly cells: readonly string[] })[] = [
    { title: 'stage', ...right, cells: stages.map(stageName) },
    { title: 'mix', paint: strip.paint, cells: stages.map(({ shares }) => strip.of(shares)) },
    { title: 'valid', ...right, cells: stages.map(({ valid }) => rateText(valid)) },
    { title: 'optimal', ...right, cells: stages.map(({ optimal }) => rateText(optimal)) },
    { title: 'signal', ...right, cells: stages.map(({ signal }) => percent(signal)) },
    { title: failuresTitle(stages), cells: stages.map(topFailures) },
  ];
  const shown = all.filter(({ cells }) => cells.some((cell) => cell !== ''));
  const rows = stages.map((_, i) => shown.map(({ cells }) => visible(cells[i] ?? '')));
  return table(shown, rows, io.stdout) + legendText({ paint, io }, stages, strip.legend);
}

/** What failed adds up to all of it; of all tries something is left. */
function failuresTitle(stages: readonly StageRow[]): string {
  const sums = stages.flatMap(({ failures }) =>
    failures.length === 0 ? [] : [failures.reduce((sum, { share }) => sum + (share ?? 0), 0)],
  );
  return sums.length > 0 && sums.every((sum) => Math.abs(sum - 1) < 1e-9) ? 'failures, % of failed' : 'failures';
}

function legendText(context: Pick<Context, 'paint' | 'io'>, stages: readonly StageRow[], mix: string | null): string {
  const measures = measuresIn(stages);
  const lines = [
    ...(measures === '' ? [] : [`${measures}: of the validation suite, in %, with 95 % intervals.`]),
    ...(stages.some(({ signal }) => signal !== null) ? ['signal: sample groups whose rewards differed, in %.'] : []),
    ...(mix === null ? [] : [mix]),
    ...stages.flatMap(({ stage, unjudged }) =>
      unjudged === null || unjudged === 0
        ? []
        : [`stage ${stage}: ${counted(unjudged, 'rollout')} of the validation suite could not be judged.`],
    ),
    ...(stages.some(({ isOver }) => !isOver) ? ['… not over.'] : []),
  ];
  return lines.map((line) => paragraph(context, line, context.paint.dim)).join('');
}

/** `valid, optimal`, as far as they are known. */
function measuresIn(rates: readonly Pick<StageRow, 'valid' | 'optimal'>[], separator = ', '): string {
  const measures = (['valid', 'optimal'] as const).filter((one) => rates.some((rate) => rate[one].value !== null));
  return measures.join(separator);
}

function stageName({ stage, isOver }: StageRow): string {
  return isOver ? String(stage) : `…${stage}`;
}

const topClasses = 3;

function topFailures({ failures }: StageRow): string {
  return failures
    .slice(0, topClasses)
    .map(({ class: name, count: times, share }) => {
      const often = share === null ? (times === null ? '' : ` ${count(times)}`) : ` ${percent(share)}`;
      return `${name}${often}`;
    })
    .join(', ');
}

function decisionsText(context: Context, { stages, next }: RunShown): string {
  const decisions = [...stages.map(({ decision }) => decision), ...(next === null ? [] : [next])];
  const rows = decisions
    .filter(
      ({ stage, by, rejections, errors }) => stage > 1 || by !== 'initial' || rejections.length + errors.length > 0,
    )
    .map((one) => ({ stage: one.stage, text: decisionText(one) }))
    .filter(({ text }) => text !== '')
    .map(({ stage, text }) => [String(stage), visible(text)]);
  if (rows.length === 0) return '';
  const columns = [
    { title: 'stage', align: 'right', paint: context.paint.bold } as const,
    { title: 'what changed before it', wraps: true } as const,
  ];
  return table(columns, rows, context.io.stdout);
}

function benchmarksText({ io }: Context, { benchmarks }: RunShown): string {
  if (benchmarks.length === 0) return '';
  const suites = [...new Set(benchmarks.map(({ suite }) => suite))];
  const stages = [...new Set(benchmarks.map(({ stage }) => stage))];
  const rows = stages.map((stage) => [
    stage === null ? '-' : String(stage),
    ...suites.map((suite) => {
      const found = benchmarks.findLast((one) => one.stage === stage && one.suite === suite);
      if (found === undefined) return '';
      const optimal = percent(found.optimal.value);
      return optimal === '' ? percent(found.valid.value) : `${percent(found.valid.value)} / ${optimal}`;
    }),
  ]);
  const columns = ['stage', ...suites].map((title) => ({ title: visible(title), align: 'right' as const }));
  return `Benchmarks, ${measuresIn(benchmarks, ' / ') || 'valid'} in %; no engineer is ever shown them:\n${table(columns, rows, io.stdout)}`;
}

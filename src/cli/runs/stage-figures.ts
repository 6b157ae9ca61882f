// The figures of one stage: how training went, how good the policy is in each family, and how it fails there.
import type { StageShown } from '../../../schemas/run-output.ts';
import type { Context } from '../context.ts';
import { sparkline } from '../output/curve.ts';
import { count, short } from '../output/quantity.ts';
import { type Column, table } from '../output/table.ts';
import { visible } from '../output/visible.ts';
import { isShare, percent, rateText } from './figures.ts';
import { amountsText } from './run-head.ts';

type Training = NonNullable<StageShown['training']>;
type Evaluation = StageShown['evaluations'][number];

const right = { align: 'right' } as const;

const sparkColumns = 40;
const familySparkColumns = 24;

/** Curves of all families together; those of single families stand beside their figures. */
export function trainingText(context: Context, { training }: StageShown): string {
  if (training === null) return '';
  const { spent, signal, curve } = training;
  const families = new Set(signal.flatMap(({ family }) => family ?? []));
  const isOfFamily = (measure: string): boolean =>
    measure.includes('/') && families.has(measure.slice(measure.indexOf('/') + 1));
  const told = spent === null ? '' : `  spent ${visible(amountsText(spent))}\n`;
  return (
    told +
    curvesText(
      context,
      curve.filter(({ measure, values }) => values.length > 0 && !isOfFamily(measure)),
    ) +
    signalText(context, training)
  );
}

function curvesText({ io, paint }: Context, curves: Training['curve']): string {
  const rows = curves.map(({ measure, values }) => [
    `  ${visible(measure)}`,
    sparkline(values, sparkColumns),
    `${short(rounded(values[0]))} → ${short(rounded(values.at(-1)))}`,
  ]);
  return rows.length === 0
    ? ''
    : table([{ title: '' }, { title: '', paint: paint.green }, { title: '' }], rows, io.stdout);
}

function signalText({ io, paint }: Context, { signal, curve }: Training): string {
  if (signal.length === 0) return '';
  const all = [
    { title: '  family', cells: signal.map(({ family }) => `  ${visible(family ?? 'all')}`) },
    { title: 'signal %', ...right, cells: signal.map(({ share }) => percent(share)) },
    { title: 'entropy', ...right, cells: signal.map(({ entropy }) => numberText(entropy)) },
    { title: 'kl', ...right, cells: signal.map(({ kl }) => numberText(kl)) },
    {
      title: 'valid while it trained',
      paint: paint.green,
      cells: signal.map(({ family }) => {
        const name = family === null ? 'valid' : `valid/${family}`;
        return sparkline(curve.find(({ measure }) => measure === name)?.values ?? [], familySparkColumns);
      }),
    },
  ];
  const shown = all.filter(({ cells }) => cells.some((cell) => cell !== ''));
  return table(
    shown,
    signal.map((_, i) => shown.map(({ cells }) => cells[i] ?? '')),
    io.stdout,
  );
}

function numberText(value: number | null): string {
  return value === null ? '' : short(rounded(value));
}

function rounded(value: number | undefined): number {
  return Number((value ?? 0).toPrecision(3));
}

const rates = ['valid', 'optimal'];

/** The suite that a stage is watched by, with all that was measured. */
export function validationText({ io }: Context, { results }: Evaluation): string {
  const measures = [...new Set(results.map(({ measure }) => measure))];
  const rows = familiesIn(results).map((family) => [
    `  ${visible(family ?? 'all')}`,
    ...measures.map((measure) => {
      const found = results.find((one) => one.family === family && one.measure === measure);
      if (found === undefined) return '';
      return isShare(measure) ? rateText(found) : numberText(found.value);
    }),
  ]);
  return rows.length === 0 ? '' : table(familyColumns(measures), rows, io.stdout);
}

/** Other suites side by side, so that they can be held against each other. */
export function suitesText({ io }: Context, evaluations: readonly Evaluation[]): string {
  const families = familiesIn(evaluations.flatMap(({ results }) => results));
  const rows = families.map((family) => [
    `  ${visible(family ?? 'all')}`,
    ...evaluations.map(({ results }) => {
      const [valid, optimal] = rates.map((measure) => {
        const found = results.find((one) => one.family === family && one.measure === measure);
        return percent(found?.value ?? null);
      });
      return [valid, optimal].filter(Boolean).join(' / ');
    }),
  ]);
  if (rows.length === 0) return '';
  return table(familyColumns(evaluations.map(({ suite }) => suite)), rows, io.stdout);
}

function familiesIn(results: Evaluation['results']): readonly (string | null)[] {
  return [...new Set(results.map(({ family }) => family))];
}

function familyColumns(titles: readonly string[]): readonly Column[] {
  return [{ title: '  family' }, ...titles.map((title) => ({ title: visible(title), ...right }))];
}

/** A line a family, with shares of its tries, or of those that failed. */
export function failuresText({ io }: Context, { failuresByFamily }: StageShown): string {
  const families = [...new Set(failuresByFamily.map(({ family }) => family))];
  const rows = families.map((family) => {
    const own = failuresByFamily.filter((one) => one.family === family);
    const of = own.find((one) => one.of !== null)?.of ?? null;
    return [`  ${visible(family ?? 'all')}`, of === null ? '' : count(of), visible(own.map(failureText).join(', '))];
  });
  const tried = isOfFailed(failuresByFamily) ? 'failed' : 'tries';
  const columns = [{ title: '  family' }, { title: tried, ...right }, { title: '% of them', wraps: true as const }];
  return rows.length === 0 ? '' : table(columns, rows, io.stdout);
}

/** The counts of each family add up to what they are of. */
function isOfFailed(failures: StageShown['failuresByFamily']): boolean {
  const families = new Map<string | null, number>();
  for (const { family, count: times, of } of failures) {
    families.set(family, (families.get(family) ?? of ?? Number.NaN) - (times ?? 0));
  }
  return [...families.values()].every((left) => left === 0);
}

function failureText({ class: name, count: times, of }: StageShown['failuresByFamily'][number]): string {
  if (times === null) return name;
  return `${name} ${of === null || of === 0 ? `${count(times)} times` : percent(times / of)}`;
}

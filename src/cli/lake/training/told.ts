// What came of a training, for people: its whole curve, how its figures went, what there was to learn in each family, and
// what it left.
import type { TrainFamily, TrainResult } from '../../../../schemas/training-output.ts';
import { type Column, table } from '../../../analysis/document/layout.ts';
import { count, duration } from '../../../base/quantity.ts';
import { visible } from '../../../base/visible.ts';
import type { Context } from '../../context.ts';
import { sparkline } from '../../output/curve.ts';
import { courseLines } from './course.ts';
import { figuresIn, numbersOf, written } from './figures.ts';
import { rateText } from './watch.ts';

const rows = 11;
const widest = 100;
/** Where no terminal tells its width. */
const usual = 80;
const sparks = 40;
const familySparks = 16;

export function told(context: Context, result: TrainResult): string {
  const parts = [curvePart(context, result), figuresPart(context, result), familiesPart(context, result)];
  return [...parts.filter((part) => part !== ''), factsPart(result)].join('\n');
}

function curvePart({ io, paint }: Context, { curve, budget }: TrainResult): string {
  const columns = (io.stdout.isTTY ? Math.min(io.stdout.columns, widest) : usual) - 1;
  return linesOf(courseLines(curve, budget, { columns, rows, paint }));
}

const right = (title: string): Column => ({ title, align: 'right' });

function figuresPart({ io, paint }: Context, { curve }: TrainResult): string {
  if (curve.length < 2) return '';
  const figures = figuresIn(curve).filter((figure) => numbersOf(figure, curve).length > 0);
  const cells = figures.map((figure) => {
    const numbers = numbersOf(figure, curve);
    const ends = [numbers[0], numbers.at(-1)].map((number) => written(figure, number));
    return [visible(figure.label), ...ends, sparkline(numbers, sparks)];
  });
  const course: Column = { title: 'course', paint: paint.cyan };
  return table([{ title: 'figure' }, right('begin'), right('end'), course], cells, io.stdout);
}

function familiesPart({ io, paint }: Context, { families, curve }: TrainResult): string {
  const told = families.filter(({ sampled, signal, valid }) => sampled !== null || signal !== null || valid !== null);
  if (told.length === 0) return '';
  const hasValid = told.some(({ valid }) => valid !== null);
  const columns = [
    right('size'),
    right('asked'),
    right('sampled'),
    right('instances'),
    right('learning signal'),
    ...(hasValid ? [right('valid'), { title: 'course', paint: paint.cyan }] : []),
  ];
  const cells = told.map((family) => [
    ...familyCells(family),
    ...(hasValid
      ? [share(family.valid), sparkline(numbersOf({ name: `valid/${family.family}` }, curve), familySparks)]
      : []),
  ]);
  return table(columns, cells, io.stdout);
}

function familyCells({ family, asked, sampled, instances, signal }: TrainFamily): readonly string[] {
  const name = visible(/^[0-9]+$/.test(family) ? `${family}x${family}` : family);
  return [name, tenths(asked), tenths(sampled), instances === null ? '-' : count(instances), share(signal)];
}

/** What was asked for is shown as it was asked: one of eight is 12.5 %. */
function tenths(part: number | null): string {
  return part === null ? '-' : `${Number((100 * part).toFixed(1))} %`;
}

function share(part: TrainFamily['signal']): string {
  return part === null ? '-' : written({ isShare: true }, part);
}

/** Not as a table, in which a long path would be cut: it is there to be copied. */
function factsPart(result: TrainResult): string {
  const { checkpoint, exit } = result;
  const facts: readonly (readonly [string, string])[] = [
    ['spent', spentText(result)],
    ['checkpoint', checkpoint === null ? 'none' : visible(checkpoint.reference)],
    ...(checkpoint?.digest === undefined ? [] : [['digest', checkpoint.digest] as const]),
    ...(exit === null || exit.code === 0 ? [] : [['exit', exitText(exit)] as const]),
  ];
  return linesOf(facts.map(([name, says]) => `${name.padEnd(12)}${says}`));
}

function exitText({ code, signal }: NonNullable<TrainResult['exit']>): string {
  return signal === null ? `code ${code}` : `by ${signal}`;
}

/** `1,203,456 agent steps, 320 updates in 14.2 s, 84,700 agent steps/s` */
function spentText({ spent, curve, seconds, perSecond }: TrainResult): string {
  const updates = spent['updates'] === undefined && curve.length > 0 ? { updates: curve.at(-1)?.step ?? 0 } : {};
  const amounts = Object.entries({ ...spent, ...updates }).map(([unit, amount]) => `${count(amount)} ${visible(unit)}`);
  const rates = Object.entries(perSecond ?? {}).map(([unit, rate]) => `${rateText(rate)} ${visible(unit)}/s`);
  const time = seconds === null ? [] : [`${duration(seconds)} this time`];
  return [...amounts, ...time, ...rates].join(', ');
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

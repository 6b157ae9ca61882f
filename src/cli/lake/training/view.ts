// A training for people: its curve while it runs, and its results.

import type { TrainFamily, TrainResult } from '../../../../schemas/training-output.ts';
import type { LakeConfiguration } from '../../../../testbed/lake/configuration.ts';
import { paintFor } from '../../../base/paint.ts';
import { count, duration, short } from '../../../base/quantity.ts';
import type { Paint } from '../../../base/terminal.ts';
import { visible } from '../../../base/visible.ts';
import { curveLines, roundSpan, shareSpan, sparkline } from '../../../document/curve.ts';
import { type Column, table } from '../../../document/layout.ts';
import type { Checkpoint } from '../../../lab/policies/policy.ts';
import type { Budget, Point, Progress, Trained } from '../../../lab/trainers/trainer.ts';
import type { Context } from '../../context.ts';
import { Live } from '../../output/live.ts';
import type { Asked } from './asked.ts';

type Score = Point['values'][string];

interface Figure {
  /** As the trainer calls it. */
  readonly name: string;
  readonly label: string;
  /** A part of a whole: from 0 to 1, written in percent. */
  readonly isShare: boolean;
}

/** In the order in which they are shown; whatever else a trainer tells comes after them. */
const known: readonly Figure[] = [
  { name: 'valid', label: 'valid', isShare: true },
  { name: 'reward', label: 'reward', isShare: false },
  { name: 'entropy', label: 'entropy', isShare: false },
  { name: 'kl', label: 'KL', isShare: false },
  { name: 'signal', label: 'learning signal', isShare: true },
];

/** What these points tell of over all families, the known first. What is told of one family is called `valid/8`. */
export function figuresIn(points: readonly Point[]): readonly Figure[] {
  const told = new Set(points.flatMap(({ values }) => Object.keys(values).filter((name) => !name.includes('/'))));
  const others = [...told].filter((name) => !known.some((figure) => figure.name === name));
  return [
    ...known.filter(({ name }) => told.has(name)),
    ...others.map((name) => ({ name, label: name, isShare: false })),
  ];
}

/** The numbers of one figure, without those that are missing. */
function numbersOf({ name }: Pick<Figure, 'name'>, points: readonly Point[]): readonly number[] {
  return points.flatMap(({ values }) => numberIn(values[name]) ?? []);
}

function numberIn(score: Score | undefined): number | null {
  return typeof score === 'number' ? score : null;
}

export function written({ isShare }: Pick<Figure, 'isShare'>, score: Score | undefined): string {
  const number = numberIn(score);
  if (number === null) return score === undefined ? '' : 'none';
  return isShare ? percent(number) : String(Number(number.toPrecision(3)));
}

/** Small shares are not rounded to nothing. */
export function percent(share: number): string {
  const hundredths = 100 * share;
  const isFine = hundredths > 0 && hundredths < 9.95;
  return `${isFine ? Number(hundredths.toPrecision(2)) : Math.round(hundredths)} %`;
}

interface Canvas {
  readonly columns: number;
  /** Odd. */
  readonly rows: number;
  readonly paint: Paint;
}

/** The one figure that says most: how much was valid, or else the first there is. None where there are no numbers. */
export function courseLines(points: readonly Point[], budget: Budget, canvas: Canvas): readonly string[] {
  const figure = figuresIn(points).find((one) => numbersOf(one, points).length > 0);
  if (figure === undefined) return [];
  const { columns, rows, paint } = canvas;
  const axis = axisOf(points, budget);
  const lines = curveLines(placesOf(figure, points, axis), {
    columns,
    rows,
    x: { from: 0, to: axis.to },
    y: figure.isShare ? shareSpan(numbersOf(figure, points)) : roundSpan(numbersOf(figure, points)),
    xLabel: (value) => (value === 0 ? '0' : `${count(value)} ${visible(axis.unit)}`),
    yLabel: figure.isShare ? percent : short,
    paint: { curve: paint.cyan, axes: paint.dim },
  });
  return [paint.bold(visible(figure.label)), ...lines];
}

interface Axis {
  readonly unit: string;
  readonly of: (point: Point) => number;
  readonly to: number;
}

/** What was spent in the unit of the budget where it is told; else the updates. */
function axisOf(points: readonly Point[], budget: Budget): Axis {
  const last = points.at(-1);
  const unit = Object.keys(budget).find((one) => points.every(({ spent }) => spent?.[one] !== undefined));
  if (unit === undefined) return { unit: 'updates', of: ({ step }) => step, to: last?.step ?? 0 };
  const of = ({ spent }: Point): number => spent?.[unit] ?? 0;
  return { unit, of, to: Math.max(budget[unit] ?? 0, last === undefined ? 0 : of(last)) };
}

function placesOf({ name }: Figure, points: readonly Point[], axis: Axis): readonly { x: number; y: number }[] {
  return points.flatMap((point) => {
    const y = numberIn(point.values[name]);
    return y === null ? [] : [{ x: axis.of(point), y }];
  });
}

interface Mark {
  readonly at: number;
  readonly spent: Budget;
}

export class Pace {
  readonly #budget: Budget;
  readonly #now: () => number;
  readonly #begun: number;
  /** What is compared with: where a training is gone on with, nobody knows what was spent before its first point. */
  #first: Mark | null;
  #last: Mark;

  constructor(budget: Budget, isBegun: boolean, now: () => number = () => performance.now()) {
    this.#budget = budget;
    this.#now = now;
    this.#begun = now();
    this.#first = isBegun ? null : { at: this.#begun, spent: {} };
    this.#last = { at: this.#begun, spent: {} };
  }

  take({ spent = {} }: Pick<Point, 'spent'>): void {
    this.#last = { at: this.#now(), spent };
    this.#first ??= this.#last;
  }

  /** Since it was begun or gone on with. */
  get seconds(): number {
    return (this.#now() - this.#begun) / 1000;
  }

  get spent(): Budget {
    return this.#last.spent;
  }

  /** By unit of the budget that is told; none where nobody knows yet. */
  get perSecond(): Budget {
    const first = this.#first;
    if (first === null || this.#last.at <= first.at) return {};
    const seconds = (this.#last.at - first.at) / 1000;
    return Object.fromEntries(
      Object.keys(this.#budget).flatMap((unit) => {
        const now = this.#last.spent[unit];
        return now === undefined ? [] : [[unit, (now - (first.spent[unit] ?? 0)) / seconds]];
      }),
    );
  }

  /** How much of the budget is spent, by the unit that will be used up first; null where nobody knows. */
  get done(): number | null {
    const parts = Object.entries(this.#budget).flatMap(([unit, most]) => {
      const now = this.#last.spent[unit];
      return now === undefined ? [] : [now / most];
    });
    return parts.length === 0 ? null : Math.min(1, Math.max(...parts));
  }

  /** In seconds; null where nobody knows. */
  get left(): number | null {
    const rates = this.perSecond;
    const times = Object.entries(rates).flatMap(([unit, rate]) =>
      rate > 0 ? [Math.max(0, (this.#budget[unit] ?? 0) - (this.#last.spent[unit] ?? 0)) / rate] : [],
    );
    return times.length === 0 ? null : Math.min(...times);
  }
}

/** How long it took this time, and how much it spent a second; null where it was over before. */
export type Took = { readonly seconds: number; readonly perSecond: Budget } | null;

export function resultOf(asked: Asked, from: Checkpoint | null, trained: Trained, took: Took): TrainResult {
  const { checkpoint, spent, curve, signal, results, exit, log } = trained;
  return {
    kind: 'trained',
    folder: asked.folder,
    isNew: took !== null,
    environment: asked.training.environment,
    trainer: asked.trainer.component,
    configuration: { ...asked.configuration },
    from,
    budget: { ...asked.budget },
    seed: asked.seed,
    spent: { ...spent },
    checkpoint,
    curve: [...curve],
    families: familiesIn(asked.configuration, trained),
    signal: [...signal],
    results: results ?? null,
    exit: exit ?? null,
    log: log ?? null,
    seconds: took?.seconds ?? null,
    perSecond: took === null ? null : { ...took.perSecond },
  };
}

/** The families that were asked for, in their order, and whatever else the trainer tells of. */
function familiesIn({ sizes }: LakeConfiguration, { signal, sampled, curve }: Trained): TrainFamily[] {
  const asked = Object.keys(sizes).filter((size) => (sizes[size]?.data ?? 0) > 0);
  const told = [...sampled.map(({ family }) => family), ...signal.flatMap(({ family }) => family ?? [])];
  const lately = curve.slice(-Math.ceil(curve.length / 10));
  return [...new Set([...asked, ...told])].map((family) => {
    const drawn = sampled.find((one) => one.family === family);
    return {
      family,
      asked: sizes[family]?.data ?? null,
      sampled: drawn?.share ?? null,
      instances: drawn?.tasks ?? null,
      signal: signal.find((one) => one.family === family)?.share ?? null,
      valid: meanOf(numbersOf({ name: `valid/${family}` }, lately)),
    };
  });
}

function meanOf(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

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

/** In milliseconds. */
const redrawn = 1000;
const soonest = 100;
const plainLines = 10_000;
const firstLine = 2000;

const rowsDrawn = 9;

export class Watch {
  readonly pace: Pace;
  /** The last that was saved. */
  saved: Checkpoint | null = null;
  readonly #context: Context;
  readonly #budget: Budget;
  readonly #points: Point[] = [];
  readonly #live: Live;
  readonly #paint: Paint;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout | null;
  #saidAt: number;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #drawing: Promise<void> = Promise.resolve();

  /** `isBegun`: it is gone on with. */
  constructor(context: Context, budget: Budget, isBegun: boolean, now: () => number = () => performance.now()) {
    const { io } = context;
    this.#context = context;
    this.#budget = budget;
    this.#now = now;
    this.#live = new Live(io);
    this.#paint = paintFor(io.stderr, io.env);
    this.#saidAt = now() - plainLines + firstLine;
    this.pace = new Pace(budget, isBegun, now);
    this.#timer = this.#isLive ? setInterval(() => this.#draw(), redrawn).unref() : null;
    if (this.#isLive) this.#draw();
  }

  /** The last update that was told of. */
  get step(): number | null {
    return this.#points.at(-1)?.step ?? null;
  }

  /** Nothing was told of it yet. */
  get isUntold(): boolean {
    return this.step === null && this.saved === null;
  }

  async take(progress: Progress): Promise<void> {
    if (progress.kind === 'saved') {
      this.saved = progress.checkpoint;
      return;
    }
    if (progress.kind === 'rollouts') return;
    this.#points.push(progress.point);
    this.pace.take(progress.point);
    if (!this.#isLive) await this.#say();
    else if (this.#now() - this.#drawnAt >= soonest) this.#draw();
    await this.#drawing;
  }

  /** Takes back what was drawn. */
  async end(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#drawing;
    await this.#live.end();
  }

  /** Where results go to the same terminal, they must not be drawn over. */
  get #isLive(): boolean {
    const { flags, io } = this.#context;
    return io.stderr.isTTY && !flags.quiet && !(flags.json && io.stdout.isTTY);
  }

  #draw(): void {
    this.#drawnAt = this.#now();
    const columns = Math.min(this.#context.io.stderr.columns, widest) - 1;
    const course = courseLines(this.#points, this.#budget, { columns, rows: rowsDrawn, paint: this.#paint });
    const figures = this.#figures();
    const lines = [...course, this.#whereabouts(), ...(figures === '' ? [] : [figures])];
    this.#drawing = this.#drawing.then(() => this.#live.show(lines));
  }

  async #say(): Promise<void> {
    const { flags, io } = this.#context;
    if (flags.quiet || io.stderr.isTTY || this.#now() - this.#saidAt < plainLines) return;
    this.#saidAt = this.#now();
    const figures = this.#figures();
    await io.stderr.write(`${this.#whereabouts()}${figures === '' ? '' : `: ${figures}`}\n`);
  }

  /**
   * `update 120, 412,000 of 1,200,000 agent steps, 34 %, 88,000/s, about 9.0 s left`. Below a curve there is less room, and
   * its axis says already how many there will be.
   */
  #whereabouts(): string {
    const { step, pace } = this;
    if (step === null) return pace.seconds < 1 ? 'no update yet' : `no update yet, ${duration(pace.seconds)}`;
    const unit = Object.keys(this.#budget).find((one) => pace.spent[one] !== undefined);
    const rate = unit === undefined ? undefined : pace.perSecond[unit];
    const { done, left } = pace;
    const whole = unit === undefined || this.#isLive ? '' : ` of ${count(this.#budget[unit] ?? 0)}`;
    return [
      `update ${count(step)}`,
      ...(unit === undefined ? [] : [`${count(pace.spent[unit] ?? 0)}${whole} ${visible(unit)}`]),
      ...(done === null ? [] : [percent(done)]),
      ...(rate === undefined ? [] : [`${rateText(rate)}/s`]),
      left === null || done === null ? duration(pace.seconds) : `about ${duration(left)} left`,
    ].join(', ');
  }

  #figures(): string {
    const last = this.#points.at(-1);
    if (last === undefined) return '';
    return figuresIn([last])
      .map((figure) => `${visible(figure.label)} ${written(figure, last.values[figure.name])}`)
      .join(', ');
  }
}

/** Programs may take minutes for one. */
function rateText(perSecond: number): string {
  return perSecond >= 100 ? count(Math.round(perSecond)) : String(Number(perSecond.toPrecision(3)));
}

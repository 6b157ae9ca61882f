// Displays a running training: the curve and the latest figures on a terminal, an occasional plain line elsewhere.
import { courseOf, figuresIn, figureText, shareText } from '../../src/document/index.ts';
import type { CommandContext, LiveLines } from '../../src/library/plugins/index.ts';
import {
  type Budget,
  type Checkpoint,
  count,
  duration,
  escapeControls,
  type Point,
  type Progress,
  paintFor,
} from '../../src/library/plugins/tools.ts';

/** Programs may take minutes per unit. */
export function rateText(perSecond: number): string {
  return perSecond >= 100 ? count(Math.round(perSecond)) : String(Number(perSecond.toPrecision(3)));
}

interface Mark {
  readonly at: number;
  readonly spent: Budget;
}

export class Pace {
  readonly #budget: Budget;
  readonly #now: () => number;
  readonly #begun: number;
  /** For a resumed training, the amount spent before its first point is unknown. */
  #first: Mark | null;
  #last: Mark;

  constructor(budget: Budget, isBegun: boolean, now: () => number = () => performance.now()) {
    this.#budget = budget;
    this.#now = now;
    this.#begun = now();
    this.#last = { at: this.#begun, spent: {} };
    this.#first = isBegun ? null : this.#last;
  }

  take({ spent = {} }: Pick<Point, 'spent'>): void {
    this.#last = { at: this.#now(), spent };
    this.#first ??= this.#last;
  }

  /** Since it was started or resumed. */
  get seconds(): number {
    return (this.#now() - this.#begun) / 1000;
  }

  /** By units of the budget that the trainer reports. */
  get #units(): readonly (readonly [unit: string, spent: number, most: number])[] {
    const { spent } = this.#last;
    return Object.entries(this.#budget).flatMap(([unit, most]) =>
      spent[unit] === undefined ? [] : [[unit, spent[unit], most] as const],
    );
  }

  /** Empty if unknown. */
  get perSecond(): Budget {
    const first = this.#first;
    const seconds = (this.#last.at - (first?.at ?? 0)) / 1000;
    if (first === null || seconds <= 0) return {};
    return Object.fromEntries(this.#units.map(([unit, spent]) => [unit, (spent - (first.spent[unit] ?? 0)) / seconds]));
  }

  /** The used part of the budget, for the unit that will be used up first; null if unknown. */
  get done(): number | null {
    const parts = this.#units.map(([, spent, most]) => spent / most);
    return parts.length === 0 ? null : Math.min(1, Math.max(...parts));
  }

  /** In seconds; null if unknown. */
  get left(): number | null {
    const rates = this.perSecond;
    const times = this.#units.flatMap(([unit, spent, most]) => {
      const rate = rates[unit] ?? 0;
      return rate > 0 ? [Math.max(0, most - spent) / rate] : [];
    });
    return times.length === 0 ? null : Math.min(...times);
  }

  /** `412,000 of 1,200,000 agent-steps, 34 %, 88,000/s, about 9.0 s left`; the axis of a curve already shows the total. */
  describe(hasAxis: boolean): readonly string[] {
    const [first] = this.#units;
    const rate = first === undefined ? undefined : this.perSecond[first[0]];
    const { done, left } = this;
    const spent =
      first === undefined
        ? []
        : [`${count(first[1])}${hasAxis ? '' : ` of ${count(first[2])}`} ${escapeControls(first[0])}`];
    return [
      ...spent,
      ...(done === null ? [] : [shareText(done)]),
      ...(rate === undefined ? [] : [`${rateText(rate)}/s`]),
      left === null || done === null ? duration(this.seconds) : `about ${duration(left)} left`,
    ];
  }
}

/** In milliseconds. */
const redrawn = 1000;
const soonest = 100;
const plainLines = 10_000;
const firstLine = 2000;

const rowsDrawn = 9;
export const widest = 100;

export class Watch {
  readonly pace: Pace;
  /** The last saved checkpoint. */
  saved: Checkpoint | null = null;
  readonly #context: CommandContext;
  readonly #budget: Budget;
  readonly #points: Point[] = [];
  readonly #live: LiveLines;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout | null;
  #saidAt: number;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #drawing: Promise<void> = Promise.resolve();

  /** `isBegun`: it is resumed. */
  constructor(context: CommandContext, budget: Budget, isBegun: boolean, now: () => number = () => performance.now()) {
    this.#context = context;
    this.#budget = budget;
    this.#now = now;
    this.#live = context.live();
    this.#saidAt = now() - plainLines + firstLine;
    this.pace = new Pace(budget, isBegun, now);
    this.#timer = this.#isLive ? setInterval(() => this.#draw(), redrawn).unref() : null;
    if (this.#isLive) this.#draw();
  }

  /** The last reported update. */
  get step(): number | null {
    return this.#points.at(-1)?.step ?? null;
  }

  async take(progress: Progress): Promise<void> {
    if (progress.kind === 'saved') this.saved = progress.checkpoint;
    if (progress.kind !== 'point') return;
    this.#points.push(progress.point);
    this.pace.take(progress.point);
    if (!this.#isLive) await this.#say();
    else if (this.#now() - this.#drawnAt >= soonest) this.#draw();
    await this.#drawing;
  }

  /** Erases the drawing. */
  async end(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#drawing;
    await this.#live.end();
  }

  /** Results on the same terminal must not be overwritten. */
  get #isLive(): boolean {
    const { flags, io } = this.#context;
    return io.stderr.isTTY && !flags.quiet && !(flags.json && io.stdout.isTTY);
  }

  #draw(): void {
    this.#drawnAt = this.#now();
    const { stderr, env } = this.#context.io;
    const { bold, cyan, dim } = paintFor(stderr, env);
    const canvas = {
      columns: Math.min(stderr.columns, widest) - 1,
      rows: rowsDrawn,
      paint: { curve: cyan, axes: dim },
    };
    const course = courseOf(this.#points, this.#budget, canvas);
    const drawn = course === null ? [] : [bold(escapeControls(course.label)), ...course.lines];
    const lines = [...drawn, this.#whereabouts(), this.#figures()].filter((line) => line !== '');
    this.#drawing = this.#drawing.then(() => this.#live.show(lines));
  }

  async #say(): Promise<void> {
    const { flags, io } = this.#context;
    if (flags.quiet || io.stderr.isTTY || this.#now() - this.#saidAt < plainLines) return;
    this.#saidAt = this.#now();
    await io.stderr.write(`${[this.#whereabouts(), this.#figures()].filter((part) => part !== '').join(': ')}\n`);
  }

  #whereabouts(): string {
    const { step, pace } = this;
    if (step === null) return pace.seconds < 1 ? 'no update yet' : `no update yet, ${duration(pace.seconds)}`;
    return [`update ${count(step)}`, ...pace.describe(this.#isLive)].join(', ');
  }

  #figures(): string {
    const last = this.#points.at(-1);
    if (last === undefined) return '';
    return figuresIn([last])
      .map((figure) => `${escapeControls(figure.label)} ${figureText(figure, last.values[figure.name])}`)
      .join(', ');
  }
}

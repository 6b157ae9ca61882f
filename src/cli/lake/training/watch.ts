// What is shown while training goes on: on a terminal a curve that grows, drawn over again in its place; elsewhere a plain
// line now and then. It stands on standard error, so that what comes of it can be piped.

import { count, duration } from '../../../base/quantity.ts';
import type { Paint } from '../../../base/terminal.ts';
import { visible } from '../../../base/visible.ts';
import type { Checkpoint } from '../../../lab/policies/policy.ts';
import type { Budget, Point, Progress } from '../../../lab/trainers/trainer.ts';
import type { Context } from '../../context.ts';
import { Live } from '../../output/live.ts';
import { paintFor } from '../../output/paint.ts';
import { courseLines } from './course.ts';
import { figuresIn, percent, written } from './figures.ts';
import { Pace } from './pace.ts';

/** In milliseconds. */
const redrawn = 1000;
const soonest = 100;
const plainLines = 10_000;
const firstLine = 2000;

const rows = 9;
const widest = 100;

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
    const course = courseLines(this.#points, this.#budget, { columns, rows, paint: this.#paint });
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
export function rateText(perSecond: number): string {
  return perSecond >= 100 ? count(Math.round(perSecond)) : String(Number(perSecond.toPrecision(3)));
}

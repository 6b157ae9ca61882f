// How far long work has come: on a terminal one line that is written over, elsewhere a plain line now and then.
import type { Context } from '../context.ts';
import { count, duration, size } from './quantity.ts';

export interface Step {
  readonly done: number;
  /** Bytes read so far, of the total where that is known. */
  readonly bytes: number;
  readonly totalBytes: number | null;
}

const intervals = { terminal: 100, plain: 10_000 };

export class Progress {
  readonly #context: Context;
  readonly #noun: string;
  readonly #now: () => number;
  readonly #started: number;
  #shownAt: number;
  #isOpen = false;

  constructor(context: Context, noun: string, now: () => number = () => performance.now()) {
    this.#context = context;
    this.#noun = noun;
    this.#now = now;
    this.#started = now();
    this.#shownAt = this.#started;
  }

  async update(step: Step): Promise<void> {
    const { flags, io } = this.#context;
    const { isTTY } = io.stderr;
    const now = this.#now();
    if (flags.quiet || now - this.#shownAt < (isTTY ? intervals.terminal : intervals.plain)) return;
    this.#shownAt = now;
    this.#isOpen = isTTY;
    const text = describe(step, this.#noun, (now - this.#started) / 1000);
    await io.stderr.write(isTTY ? `\r${text.slice(0, io.stderr.columns - 1)}\u001b[K` : `${text}\n`);
  }

  /** Takes the line back, so that what is said next starts at the left. */
  async end(): Promise<void> {
    if (this.#isOpen) await this.#context.io.stderr.write('\r\u001b[K');
    this.#isOpen = false;
  }
}

function describe(step: Step, noun: string, seconds: number): string {
  const rate = seconds > 0 ? Math.round(step.done / seconds) : 0;
  const so = `${count(step.done)} ${noun}, ${count(rate)}/s`;
  if (step.totalBytes === null || step.bytes === 0) return `${so}, ${size(step.bytes)} read`;
  const share = Math.min(1, step.bytes / step.totalBytes);
  const left = (seconds / share) * (1 - share);
  return `${so}, ${Math.floor(share * 100)} % of ${size(step.totalBytes)}, about ${duration(left)} left`;
}

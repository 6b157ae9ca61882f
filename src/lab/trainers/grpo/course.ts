// How a training went so far: its curve, and all that was counted. It is kept with every checkpoint, so that a training
// that was stopped tells the same in the end as one that never was.
import type { Point, Trained } from '../trainer.ts';
import { type LearntFigures, Tally, type WrittenTally } from './tally.ts';

/** The curve of a training has about so many points; of a long one more, so that whoever looks on sees them come. */
const points = 100;
const agentStepsAPoint = 100_000;
/** And no more than these, however long it is: they are kept with every checkpoint. */
const mostPoints = 1000;

/** What was learnt from one lesson. */
type Learnt = LearntFigures & { readonly family: string };

export interface WrittenCourse {
  readonly curve: readonly Point[];
  readonly whole: WrittenTally;
  readonly lately: WrittenTally;
}

export class Course {
  readonly #families: readonly string[];
  readonly #every: number;
  readonly #curve: Point[];
  readonly #whole: Tally;
  /** Since the last point. */
  #lately: Tally;

  constructor(families: readonly string[], budget: number, written?: WrittenCourse) {
    this.#families = families;
    this.#every = Math.max(1, budget / mostPoints, Math.min(budget / points, agentStepsAPoint));
    this.#curve = [...(written?.curve ?? [])];
    this.#whole = new Tally(written?.whole);
    this.#lately = new Tally(written?.lately);
  }

  /** Of an update, after which so many agent steps were made; the point of the curve, where there is to be one. */
  add(taken: readonly Learnt[], update: number, agentSteps: number, isLast: boolean): Point | null {
    for (const one of taken) for (const tally of [this.#whole, this.#lately]) tally.add(one.family, one);
    const before = this.#curve.at(-1)?.spent?.['agent-steps'] ?? 0;
    if (!isLast && Math.floor(agentSteps / this.#every) === Math.floor(before / this.#every)) return null;
    const point = { step: update, spent: { 'agent-steps': agentSteps }, values: this.#lately.values(this.#families) };
    this.#lately = new Tally();
    this.#curve.push(point);
    return point;
  }

  /** Rollouts so far. */
  get rollouts(): number {
    return this.#whole.rollouts;
  }

  figures(): Pick<Trained, 'curve' | 'signal' | 'sampled'> {
    return {
      curve: this.#curve,
      signal: this.#whole.signal(this.#families),
      sampled: this.#whole.sampled(this.#families),
    };
  }

  written(): WrittenCourse {
    return { curve: this.#curve, whole: this.#whole.written(), lately: this.#lately.written() };
  }
}

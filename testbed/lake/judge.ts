// Judges what was answered to an instance: the plan is carried out step by step, and all that goes wrong is listed. Any
// answer gets a judgement; nothing is thrown.
import { type Agent, type Cell, horizonOf, type Instance, nowhere } from './instance.ts';
import { type Moves, moveFrom, type Plan, planOf, Unreadable } from './plan.ts';

/** `truncated`: the text that the answer was read from had been cut. That alone is no failure: a valid plan is valid. */
export function judge(instance: Instance, answer: unknown, truncated = false): Judgement {
  const plan = planOf(answer, instance);
  if (plan instanceof Unreadable) return unread(plan, truncated);
  const failures: Failure[] = [];
  const missing = missingFrom(plan, instance);
  if (missing.length > 0) failures.push({ class: 'missing-agent', step: 0, agents: missing, cell: null });
  const { steps, cost } = carryOut(instance, plan, failures);
  if (failures.length === 0) return { outcome: 'valid', cost, steps, failures };
  failures.sort(byStepThenClass);
  // Where moves are left at the horizon, the cut lies behind it: being cut is never what a plan failed for first.
  const last = Math.max(steps, (failures.at(-1) as Failure).step);
  if (truncated) failures.push({ class: 'truncated', step: last, agents: [], cell: null });
  return failed(steps, failures);
}

/** A cut text that cannot be read says nothing about who wrote it but that it was cut. */
function unread({ agents, words }: Unreadable, truncated: boolean): Judgement {
  if (truncated) return failed(0, [{ class: 'truncated', step: 0, agents: [], cell: null }]);
  return failed(0, [{ class: 'parse-error', step: 0, agents, cell: null, words }]);
}

/** The agents without moves stand still while the others are judged. */
function missingFrom(plan: readonly unknown[], { agents }: Instance): number[] {
  return Array.from({ length: agents.length - plan.length }, (_, i) => plan.length + i);
}

function failed(steps: number, failures: readonly Failure[]): Judgement {
  return { outcome: (failures[0] as Failure).class, cost: null, steps, failures };
}

/** Failures of one class at one step stay in the order of their agents, in which they are found. */
function byStepThenClass(one: Failure, other: Failure): number {
  return one.step - other.step || failureClasses.indexOf(one.class) - failureClasses.indexOf(other.class);
}

// What becomes of a plan: valid at a cost, or all the ways in which it failed.

/** The ways to fail. Of those at one step, the first in this order names what became of the plan. */
export const failureClasses = [
  'parse-error', // the answer is no plan, or has moves for more agents than there are
  'missing-agent', // there are no moves for an agent
  'off-grid', // a move leads off the grid; the agent stays where it is
  'hole', // an agent enters a hole; it is out of the game from then on
  'vertex-conflict', // agents come to share a cell
  'swap-conflict', // two agents change places
  'goal-missed', // the moves of an agent on the ice end elsewhere than on its goal
  'horizon', // there are moves beyond the horizon
  'truncated', // the text of the answer was cut, and what is left of it is no valid plan
] as const;

export type FailureClass = (typeof failureClasses)[number];

export interface Failure {
  readonly class: FailureClass;
  /** The first moves are step 1. What concerns the answer rather than a move is step 0. */
  readonly step: number;
  /** By their number from 0, ascending; none where it is the answer as a whole. */
  readonly agents: readonly number[];
  readonly cell: Cell | null;
  /** Of a parse-error: what was found where, and what is allowed. */
  readonly words?: string;
}

export interface Judgement {
  /** `valid`, or the class of the first failure. */
  readonly outcome: 'valid' | FailureClass;
  /** Of a valid plan: the sum over agents of the step at which each arrives for good. */
  readonly cost: number | null;
  /** The last step at which an agent on the ice had a move; the horizon at most. */
  readonly steps: number;
  /** By step, then by class, then by agent. */
  readonly failures: readonly Failure[];
}

// Carries a plan out: all agents move at the same time, step by step, and whatever goes wrong is noted while the rest
// goes on. Rewards wait for it: a step of a plan without fault allocates nothing.

interface Course {
  readonly steps: number;
  /** Means something only where nothing failed. */
  readonly cost: number;
}

/** Adds what goes wrong to `failures`, those of one class at one step in the order of their agents. */
function carryOut(instance: Instance, plan: Plan, failures: Failure[]): Course {
  const { size, agents } = instance;
  const horizon = horizonOf(size);
  const run = new Run(instance, plan, failures);
  // Once nobody has anything but waits left, nothing can happen any more.
  const busy = plan.reduce((most, moves) => Math.max(most, stepsOf(moves)), 0);
  for (let step = 1; step <= busy && step <= horizon; step++) run.go(step);
  const ends = agents.map((_, i) => run.endOf(i));
  const steps = Math.min(horizon, Math.max(...ends));
  // A longer plan fails, and is not carried out any further: who still has moves then did not miss its goal, it ran out.
  const late = ends.flatMap((end, i) => (end > horizon ? [i] : []));
  run.noteMissedGoals(steps, late);
  if (late.length > 0) failures.push({ class: 'horizon', step: horizon + 1, agents: late, cell: null });
  return { steps, cost: run.cost };
}

export const wait: number = 'W'.charCodeAt(0);

/** How many steps an agent takes until it waits for good. */
export function stepsOf(moves: Moves): number {
  let length = moves.length;
  while (length > 0 && moves.charCodeAt(length - 1) === wait) length--;
  return length;
}

class Run {
  readonly #instance: Instance;
  readonly #plan: Plan;
  readonly #failures: Failure[];
  /** Where agents are; who has fallen into a hole is at a place of its own, below 0, and meets nobody. */
  readonly #at: Int32Array;
  /** Where they were a step ago. */
  readonly #before: Int32Array;
  /** The step at which each came to where it is. */
  readonly #since: Int32Array;

  constructor(instance: Instance, plan: Plan, failures: Failure[]) {
    const { agents } = instance;
    this.#instance = instance;
    this.#plan = plan;
    this.#failures = failures;
    this.#at = new Int32Array(agents.length);
    this.#before = new Int32Array(agents.length);
    this.#since = new Int32Array(agents.length);
    for (let i = 0; i < agents.length; i++) this.#at[i] = (agents[i] as Agent).start;
  }

  go(step: number): void {
    this.#before.set(this.#at);
    for (let i = 0; i < this.#plan.length; i++) this.#move(i, step);
    if (this.#hasConflict()) {
      this.#noteMeetings(step);
      this.#noteSwaps(step);
    }
  }

  #move(i: number, step: number): void {
    const from = this.#at[i] as number;
    const moves = this.#plan[i] as Moves;
    if (step > moves.length || from < 0) return;
    const { size, holes } = this.#instance;
    const to = moveFrom(from, moves.charCodeAt(step - 1), size);
    if (to === from) return;
    if (to === nowhere) {
      this.#failures.push({ class: 'off-grid', step, agents: [i], cell: from });
      return;
    }
    this.#since[i] = step;
    this.#at[i] = to;
    if (holes[to] !== 1) return;
    this.#failures.push({ class: 'hole', step, agents: [i], cell: to });
    this.#at[i] = -1 - i;
  }

  #hasConflict(): boolean {
    const at = this.#at;
    const before = this.#before;
    for (let i = 1; i < at.length; i++) {
      const to = at[i];
      const from = before[i];
      for (let j = 0; j < i; j++) {
        if (at[j] === to || (before[j] === to && at[j] === from)) return true;
      }
    }
    return false;
  }

  /** Agents that share a cell which one of them has just entered: not again while they stay there together. */
  #noteMeetings(step: number): void {
    const cells = new Map<Cell, number[]>();
    for (const [i, cell] of this.#at.entries()) if (cell >= 0) cells.set(cell, [...(cells.get(cell) ?? []), i]);
    for (const [cell, agents] of cells) {
      if (agents.length > 1 && agents.some((i) => this.#hasEntered(i))) {
        this.#failures.push({ class: 'vertex-conflict', step, agents, cell });
      }
    }
  }

  /** Only two can swap: three and more that follow one another round a circle may. */
  #noteSwaps(step: number): void {
    const at = this.#at;
    const before = this.#before;
    for (let i = 0; i < at.length; i++) {
      for (let j = i + 1; j < at.length; j++) {
        if (!this.#hasEntered(i) || at[i] !== before[j] || at[j] !== before[i]) continue;
        this.#failures.push({ class: 'swap-conflict', step, agents: [i, j], cell: at[i] as Cell });
      }
    }
  }

  #hasEntered(i: number): boolean {
    return this.#at[i] !== this.#before[i];
  }

  /** The last step at which it has a move. To wait on the goal at the end is none, and in a hole nobody moves. */
  endOf(i: number): number {
    const moves = this.#plan[i] ?? '';
    if ((this.#at[i] as number) < 0) return this.#since[i] as number;
    return this.#hasArrived(i) ? stepsOf(moves) : moves.length;
  }

  /** Of agents on the ice, except those that are `late`. */
  noteMissedGoals(step: number, late: readonly number[]): void {
    for (const [i, cell] of this.#at.entries()) {
      if (cell < 0 || this.#hasArrived(i) || late.includes(i)) continue;
      this.#failures.push({ class: 'goal-missed', step, agents: [i], cell });
    }
  }

  #hasArrived(i: number): boolean {
    return this.#at[i] === this.#instance.agents[i]?.goal;
  }

  /** An agent that never leaves its goal has arrived at step 0. */
  get cost(): number {
    let sum = 0;
    for (const step of this.#since) sum += step;
    return sum;
  }
}

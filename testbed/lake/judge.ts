// Judges the answer to an instance: executes the plan step by step and lists all failures. Every answer gets a judgement; nothing is
// thrown.
import { type Agent, type Cell, horizonOf, type Instance, nowhere } from './instance.ts';
import { type Moves, moveFrom, type Plan, planOf, Unreadable } from './plan.ts';

/** `truncated`: the text of the answer was truncated. That alone is not a failure: a valid plan is valid. */
export function judge(instance: Instance, answer: unknown, truncated = false): Judgement {
  const plan = planOf(answer, instance);
  if (plan instanceof Unreadable) return unread(plan, truncated);
  const failures: Failure[] = [];
  const missing = missingFrom(plan, instance);
  if (missing.length > 0) failures.push({ class: 'missing-agent', step: 0, agents: missing, cell: null });
  const { steps, cost } = carryOut(instance, plan, failures);
  if (failures.length === 0) return { outcome: 'valid', cost, steps, failures };
  failures.sort(byStepThenClass);
  // If moves remain at the horizon, the truncation is after it: it is never the first failure of such a plan.
  const last = Math.max(steps, (failures.at(-1) as Failure).step);
  if (truncated) failures.push({ class: 'truncated', step: last, agents: [], cell: null });
  return failed(steps, failures);
}

/** A truncated text that cannot be parsed only shows that it was truncated. */
function unread({ agents, words }: Unreadable, truncated: boolean): Judgement {
  if (truncated) return failed(0, [{ class: 'truncated', step: 0, agents: [], cell: null }]);
  return failed(0, [{ class: 'parse-error', step: 0, agents, cell: null, words }]);
}

/** Agents without moves stay in place while the others are judged. */
function missingFrom(plan: readonly unknown[], { agents }: Instance): number[] {
  return Array.from({ length: agents.length - plan.length }, (_, i) => plan.length + i);
}

function failed(steps: number, failures: readonly Failure[]): Judgement {
  return { outcome: (failures[0] as Failure).class, cost: null, steps, failures };
}

/** Failures with the same class and step keep the order of their agents. */
function byStepThenClass(one: Failure, other: Failure): number {
  return one.step - other.step || failureClasses.indexOf(one.class) - failureClasses.indexOf(other.class);
}

// The outcome of a plan: valid at a cost, or all its failures.

/** The failure classes. Among failures of one step, the first in this order classifies the plan. */
export const failureClasses = [
  'parse-error', // the answer is not a plan, or has moves for too many agents
  'missing-agent', // an agent has no moves
  'off-grid', // a move leads off the grid; the agent stays in place
  'hole', // an agent enters a hole and takes no further part
  'vertex-conflict', // agents meet on a cell
  'swap-conflict', // two agents swap places
  'goal-missed', // the moves of an agent on the ice do not end on its goal
  'horizon', // there are moves beyond the horizon
  'truncated', // the text of the answer was truncated, and the rest is not a valid plan
] as const;

export type FailureClass = (typeof failureClasses)[number];

export interface Failure {
  readonly class: FailureClass;
  /** The first moves are step 1. Failures of the answer itself have step 0. */
  readonly step: number;
  /** By number from 0, ascending; empty for the answer as a whole. */
  readonly agents: readonly number[];
  readonly cell: Cell | null;
  /** For a parse-error: what was found where, and what is allowed. */
  readonly words?: string;
}

export interface Judgement {
  /** `valid`, or the class of the first failure. */
  readonly outcome: 'valid' | FailureClass;
  /** For a valid plan: the sum over agents of the step of final arrival. */
  readonly cost: number | null;
  /** The last step at which an agent on the ice had a move; at most the horizon. */
  readonly steps: number;
  /** By step, then by class, then by agent. */
  readonly failures: readonly Failure[];
}

// Executes a plan: all agents move at the same time, step by step, and failures are recorded. This is on the path of every reward, so a
// step without failures allocates nothing.

interface Course {
  readonly steps: number;
  /** Only meaningful without failures. */
  readonly cost: number;
}

/** Appends to `failures`; those with the same class and step are ordered by agent. */
function carryOut(instance: Instance, plan: Plan, failures: Failure[]): Course {
  const { size, agents } = instance;
  const horizon = horizonOf(size);
  const run = new Run(instance, plan, failures);
  // When all agents only wait, nothing can change any more.
  const busy = plan.reduce((most, moves) => Math.max(most, stepsOf(moves)), 0);
  for (let step = 1; step <= busy && step <= horizon; step++) run.go(step);
  const ends = agents.map((_, i) => run.endOf(i));
  const steps = Math.min(horizon, Math.max(...ends));
  // A longer plan fails and is not executed further: agents with remaining moves ran out of steps, they did not miss their goals.
  const late = ends.flatMap((end, i) => (end > horizon ? [i] : []));
  run.noteMissedGoals(steps, late);
  if (late.length > 0) failures.push({ class: 'horizon', step: horizon + 1, agents: late, cell: null });
  return { steps, cost: run.cost };
}

export const wait: number = 'W'.charCodeAt(0);

/** The number of steps until an agent waits for good. */
export function stepsOf(moves: Moves): number {
  let length = moves.length;
  while (length > 0 && moves.charCodeAt(length - 1) === wait) length--;
  return length;
}

class Run {
  readonly #instance: Instance;
  readonly #plan: Plan;
  readonly #failures: Failure[];
  /** Positions of agents. Those in a hole have unique negative positions, so they meet no other agent. */
  readonly #at: Int32Array;
  /** Positions one step earlier. */
  readonly #before: Int32Array;
  /** The step at which each agent reached its position. */
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

  /** Agents on a cell that one of them has just entered; not repeated while they stay there together. */
  #noteMeetings(step: number): void {
    const cells = new Map<Cell, number[]>();
    for (const [i, cell] of this.#at.entries()) if (cell >= 0) cells.set(cell, [...(cells.get(cell) ?? []), i]);
    for (const [cell, agents] of cells) {
      if (agents.length > 1 && agents.some((i) => this.#hasEntered(i))) {
        this.#failures.push({ class: 'vertex-conflict', step, agents, cell });
      }
    }
  }

  /** Only two agents can swap: three or more may move around a cycle. */
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

  /** The last step with a move. Waits on the goal at the end do not count, and agents in holes do not move. */
  endOf(i: number): number {
    const moves = this.#plan[i] ?? '';
    if ((this.#at[i] as number) < 0) return this.#since[i] as number;
    return this.#hasArrived(i) ? stepsOf(moves) : moves.length;
  }

  /** For agents on the ice, except those that are `late`. */
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

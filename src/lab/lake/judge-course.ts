// Carries a plan out: all agents move at the same time, step by step, and whatever goes wrong is noted while the rest
// goes on. Rewards wait for it: a step of a plan without fault allocates nothing.
import { type Agent, type Cell, horizonOf, type Instance, nowhere } from './instance.ts';
import type { Failure } from './judgement.ts';
import { type Moves, moveFrom, type Plan } from './plan.ts';

export interface Course {
  readonly steps: number;
  /** Means something only where nothing failed. */
  readonly cost: number;
}

/** Adds what goes wrong to `failures`, those of one class at one step in the order of their agents. */
export function carryOut(instance: Instance, plan: Plan, failures: Failure[]): Course {
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
    return this.#isHome(i) ? stepsOf(moves) : moves.length;
  }

  /** Of agents on the ice, except those that are `late`. */
  noteMissedGoals(step: number, late: readonly number[]): void {
    for (const [i, cell] of this.#at.entries()) {
      if (cell < 0 || this.#isHome(i) || late.includes(i)) continue;
      this.#failures.push({ class: 'goal-missed', step, agents: [i], cell });
    }
  }

  #isHome(i: number): boolean {
    return this.#at[i] === this.#instance.agents[i]?.goal;
  }

  /** An agent that never leaves its goal has arrived at step 0. */
  get cost(): number {
    let sum = 0;
    for (const step of this.#since) sum += step;
    return sum;
  }
}

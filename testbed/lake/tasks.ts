// Converts generated lakes to tasks of an environment, and tasks back to lakes.
import type { Cell, Failure, Judged, Score, Shortage, Task, Try } from '../../src/library/plugins/tools.ts';
import { failureTexts } from './drawing/walk.ts';
import type { LakeShortage } from './generator/generate.ts';
import type { Made } from './generator/maker.ts';
import type { Kind } from './generator/orders.ts';
import { type Instance, pairOf } from './instance.ts';
import { judge, type Failure as LakeFailure, stepsOf, wait } from './judge.ts';
import { instanceOf, lineOf } from './line.ts';
import { type Plan, planOf, Unreadable } from './plan.ts';
import type { Solver } from './solver/solver.ts';

/** Number `index` of those generated together. */
export function taskOf({ instance, kind, digest, symmetryDigest, cost }: Made, name: string, index: number): Task {
  return {
    id: `${name}-${index}`,
    family: String(kind.size),
    instance: { ...lineOf(instance) },
    digest,
    symmetryDigest,
    facts: { agents: kind.agents, holes: kind.holes, needsWait: kind.needsWait, optimalCost: cost },
  };
}

/** With the conditions of its cell, for splits that consist of cells. */
export function taskInCell(made: Made, name: string, index: number): Task {
  return { ...taskOf(made, name, index), conditions: conditionsOf(made.kind) };
}

export function shortageOf({ kind, asked, achieved, replaced, says }: LakeShortage): Shortage {
  const cell: Cell = { family: String(kind.size), conditions: conditionsOf(kind) };
  return { cell, asked, achieved, ...(replaced === 0 ? {} : { standIns: replaced }), says };
}

function conditionsOf({ holes, needsWait }: Kind): { holes: number; needsWait: boolean } {
  return { holes, needsWait };
}

/** Throws NotAnInstance if it is invalid. */
export function lakeOf({ id, instance }: Task): Instance {
  return { ...instanceOf(instance), id };
}

// The verdict on a plan: outcome, failures with messages, measurements, and the reward.

/** The bonus of an optimal plan, in addition to 1 for a valid one. */
const optimalBonus = 0.2;

const invalid: Score = { value: null, reason: 'the plan is not valid' };
const undecided: Score = { value: null, reason: 'the optimal cost is not known' };

export function verdictOn({ task, answer, truncated = false }: Try, solver: Solver): Judged {
  const lake = lakeOf(task);
  const plan = planOf(answer, lake);
  const { outcome, cost, steps, failures } = judge(lake, answer, truncated);
  const least = cost === null ? null : leastCost(task, lake, solver);
  const optimal = cost === null ? 0 : least === null ? undecided : Number(cost === least);
  return {
    outcome,
    success: cost !== null,
    failures: failures.map((failure) => recorded(lake, failure)),
    metrics: {
      cost: cost ?? invalid,
      optimal,
      stretch: cost === null ? invalid : least === null ? undecided : least === 0 ? 1 : cost / least,
      steps,
      ...(plan instanceof Unreadable ? {} : { waits: waitsIn(plan) }),
    },
    reward: cost === null ? 0 : optimal === 1 ? 1 + optimalBonus : 1,
    ...(plan instanceof Unreadable ? {} : { understood: plan }),
  };
}

/** From the facts of the task; solved if it is missing there. */
function leastCost({ facts }: Task, lake: Instance, solver: Solver): number | null {
  const known = facts['optimalCost'];
  if (typeof known === 'number') return known;
  const solution = solver.solve(lake);
  return solution.solvable === true ? solution.cost : null;
}

function recorded(instance: Instance, failure: LakeFailure): Failure {
  const { class: name, step, agents, cell, words } = failure;
  return {
    class: name,
    ...(step === 0 ? {} : { step }),
    message: words ?? (failureTexts({ instance, failures: [failure] })[0] as string),
    details: { agents, cell: cell === null ? null : pairOf(cell, instance.size) },
  };
}

/** Waits after an agent's last move do not count. */
export function waitsIn(plan: Plan): number {
  let waits = 0;
  for (const moves of plan) {
    for (let i = stepsOf(moves) - 1; i >= 0; i--) if (moves.charCodeAt(i) === wait) waits++;
  }
  return waits;
}

// The work of pool threads, and its results.

import type { Facts } from '../../../schemas/errors.ts';
import { jsonOrUndefined } from '../../../schemas/json-text.ts';
import type { LakeJudged, LakeSolved } from '../../../schemas/lake-output.ts';
import { type Split, withoutThoughts } from '../../../src/library/plugins/tools.ts';
import { type Made, Maker } from '../generator/maker.ts';
import { kindName, type Slot } from '../generator/orders.ts';
import { digestOf, type Instance, NotAnInstance, pairOf } from '../instance.ts';
import { type Failure, judge } from '../judge.ts';
import { instanceOf, valueText } from '../line.ts';
import { type Solution, Solver } from '../solver/solver.ts';
import { Terrain } from '../solver/terrain.ts';
import { spokenPlan } from '../spoken-plan.ts';

/** For a line with an instance in JSON: solves it, or judges the plan in it. */
export interface LineJob {
  readonly verb: 'solve' | 'judge';
  /** The effort limit for an optimum, in steps of the solver's search. */
  readonly effort: number;
}

/** For a slot of a batch: makes an instance. */
interface MakingJob {
  readonly verb: 'make';
  readonly split: Split;
  readonly seed: string;
}

export type Job = LineJob | MakingJob;

export interface Replies<Reply> {
  /** One for each item, in order. */
  readonly replies: readonly Reply[];
  /** The time it took. */
  readonly ms: number;
}

/** A parsed line. */
type Fields = Readonly<Record<string, unknown>>;

/** Why a line has no answer. */
export interface Refusal {
  /** The instance's id, if it can be read. */
  readonly id: string | null;
  /** The field, what was found and what is allowed; null if the line is not JSON. */
  readonly fault: { readonly message: string; readonly facts: Facts } | null;
}

/** The answer as a line of JSON, or why there is none. */
export type Reply = string | Refusal;

// Processes line after line in the same memory. Every line gets one reply, whatever its content, because its sender waits for it.

export class LineProcessor {
  readonly #work: Solving | Judging;

  constructor({ verb, effort }: LineJob) {
    this.#work = verb === 'solve' ? new Solving(effort) : new Judging(effort);
  }

  answer(texts: readonly string[]): Replies<Reply> {
    const begun = performance.now();
    const replies = texts.map((text) => this.reply(text));
    return { replies, ms: performance.now() - begun };
  }

  reply(text: string): Reply {
    const line = jsonOrUndefined(text);
    if (line === undefined) return { id: null, fault: null };
    try {
      return JSON.stringify(this.#work.answer(instanceOf(line), line as Fields));
    } catch (error) {
      if (!(error instanceof NotAnInstance)) throw error;
      return { id: idOf(line), fault: { message: error.message, facts: error.facts } };
    }
  }
}

function idOf(line: unknown): string | null {
  const id = (line as Fields | null)?.['id'];
  return typeof id === 'string' ? id : null;
}

// Judges the plan of a line.

class Judging {
  readonly #optima: Optima;

  constructor(effort: number) {
    this.#optima = new Optima(effort);
  }

  answer(instance: Instance, line: Fields): LakeJudged {
    const { outcome, cost, failures } = judge(instance, planIn(line), isTruncated(line));
    return {
      id: instance.id ?? null,
      outcome,
      cost,
      optimal: cost === null ? null : this.#optima.isOptimal(instance, cost),
      failures: failures.map((failure) => failureFields(failure, instance.size)),
    };
  }
}

/** A plan may be anything and is judged; a missing one is an error of the line, not of the policy. */
function planIn(line: Fields): unknown {
  if ('answer' in line) return planSaid(line);
  if ('plan' in line) return line['plan'];
  throw new NotAnInstance('plan', 'nothing', 'anything; null if there was no answer');
}

/** Parsed as in evaluation, so that training rewards what is measured later. */
function planSaid({ answer, ...line }: Fields): unknown {
  if ('plan' in line) throw new NotAnInstance('answer', 'a plan next to it', 'one of the two');
  if (typeof answer !== 'string') throw new NotAnInstance('answer', valueText(answer), 'the text of the answer');
  return spokenPlan(withoutThoughts(answer).text);
}

function isTruncated({ truncated = false }: Fields): boolean {
  if (typeof truncated === 'boolean') return truncated;
  throw new NotAnInstance('truncated', valueText(truncated), 'true or false');
}

function failureFields(
  { class: name, step, agents, cell, words }: Failure,
  size: number,
): LakeJudged['failures'][number] {
  const place = cell === null ? null : pairOf(cell, size);
  const failure = { class: name, step, agents: [...agents], cell: place as [number, number] | null };
  return words === undefined ? failure : { ...failure, words };
}

// Solves the instance of a line.

class Solving {
  readonly #solver = new Solver();
  readonly #effort: number;

  constructor(effort: number) {
    this.#effort = effort;
  }

  answer(instance: Instance): LakeSolved {
    const solution = this.#solver.solve(instance, this.#effort);
    return { id: instance.id ?? null, digest: digestOf(instance), ...this.#solutionFields(solution, instance) };
  }

  #solutionFields(solution: Solution, instance: Instance): Omit<LakeSolved, 'id' | 'digest'> {
    const { solvable } = solution;
    const noPlan = { solvable, cost: null, needsWait: null, plan: null };
    switch (solvable) {
      case true: {
        const { cost, plan } = solution;
        return { solvable, cost, needsWait: this.#solver.needsWait(instance, cost, this.#effort), plan: [...plan] };
      }
      case false:
        return { ...noPlan, because: [...solution.because] };
      default: {
        const { bound, effort } = solution;
        return { ...noPlan, bound, reason: `an effort of ${effort} was not enough` };
      }
    }
  }
}

// Whether a cheaper plan could exist. Bounds of recent instances are cached, because trainers judge many answers to the same one in a row.

interface CostBounds {
  /** No plan costs less. */
  readonly least: number;
  /** A plan with this cost exists. */
  readonly isReached: boolean;
}

const maxRemembered = 4096;

export class Optima {
  readonly #effort: number;
  readonly #solver = new Solver();
  readonly #terrain = new Terrain();
  /** Ordered by last use, the oldest first. */
  readonly #known = new Map<string, CostBounds>();

  constructor(effort: number) {
    this.#effort = effort;
  }

  /** For the cost of a valid plan; null if the effort was not enough. */
  isOptimal(instance: Instance, cost: number): boolean | null {
    const key = digestOf(instance);
    const remembered = this.#known.get(key);
    // Not cached: the judgement of a plan must not depend on which plans were seen before.
    if (remembered === undefined && cost === this.#distances(instance)) return true;
    const known = remembered ?? this.#found(instance);
    this.#remember(key, known);
    if (cost === known.least) return true;
    return known.isReached ? false : null;
  }

  #found(instance: Instance): CostBounds {
    const solution = this.#solver.solve(instance, this.#effort);
    if (solution.solvable === true) return { least: solution.cost, isReached: true };
    if (solution.solvable === false) throw new Error('the solver found no plan for an instance with a valid plan');
    return { least: solution.bound, isReached: false };
  }

  /** The total cost if each agent were alone. */
  #distances(instance: Instance): number {
    this.#terrain.load(instance);
    return instance.agents.reduce((sum, _, agent) => sum + this.#terrain.distance(agent), 0);
  }

  #remember(key: string, known: CostBounds): void {
    this.#known.delete(key);
    this.#known.set(key, known);
    if (this.#known.size <= maxRemembered) return;
    const [oldest = ''] = this.#known.keys();
    this.#known.delete(oldest);
  }
}

// Makes instances for the slots of a batch ahead of their turn, without knowing which instances are taken.

/** Undefined: not attempted, because the kind is exhausted, which is known when the slot is filled. */
export type Ahead = Made | null | undefined;

export class Making {
  readonly #maker: Maker;
  readonly #hopeless = new Set<string>();

  constructor({ seed, split }: MakingJob) {
    this.#maker = new Maker(seed, split);
  }

  answer(slots: readonly Slot[]): Replies<Ahead> {
    const begun = performance.now();
    const replies = slots.map((slot) => this.#made(slot));
    return { replies, ms: performance.now() - begun };
  }

  #made(slot: Slot): Ahead {
    const name = kindName(slot.kind);
    if (this.#hopeless.has(name)) return undefined;
    const made = this.#maker.make(slot);
    if (made === null) this.#hopeless.add(name);
    return made;
  }
}

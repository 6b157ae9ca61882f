// What members of a pool do, and what comes of it.

import type { Facts } from '../../../schemas/errors.ts';
import { jsonOrUndefined } from '../../../schemas/json-text.ts';
import type { LakeJudged, LakeSolved } from '../../../schemas/lake-output.ts';
import { type Split, withoutThoughts } from '../../../src/library/plugins/tools.ts';
import { type Made, Maker } from '../generator/maker.ts';
import { kindName, type Slot } from '../generator/orders.ts';
import { digestOf, type Instance, NotAnInstance, pairOf } from '../instance.ts';
import { type Failure, judge } from '../judge.ts';
import { instanceOf, shown } from '../line.ts';
import { type Solution, Solver } from '../solver/solver.ts';
import { Terrain } from '../solver/terrain.ts';
import { spokenPlan } from '../spoken-plan.ts';

/** With a line, which is an instance in JSON: it is solved, or the plan in it is judged. */
export interface LineJob {
  readonly verb: 'solve' | 'judge';
  /** How long an optimum may be looked for, in steps of the solver's search. */
  readonly effort: number;
}

/** With a slot of a batch: an instance for it is made. */
interface MakingJob {
  readonly verb: 'make';
  readonly split: Split;
  readonly seed: string;
}

export type Job = LineJob | MakingJob;

export interface Replies<Reply> {
  /** One for each thing that was handed over, in their order. */
  readonly replies: readonly Reply[];
  /** How long it took. */
  readonly ms: number;
}

/** A line, parsed. */
type Fields = Readonly<Record<string, unknown>>;

/** Why a line has no answer. */
export interface Refusal {
  /** The instance's, where that much of the line can be read. */
  readonly id: string | null;
  /** With the field, what was found and what is allowed; null where the line is not even JSON. */
  readonly fault: { readonly message: string; readonly facts: Facts } | null;
}

/** To a line: the answer as a line of JSON, or why there is none. */
export type Reply = string | Refusal;

// Does one job line after line, in the same memory. For every line there is one reply, whatever the line holds: whoever
// sent it waits for what comes of it.

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
      failures: failures.map((failure) => told(failure, instance.size)),
    };
  }
}

/** A plan may be anything, and be judged for it. That there is none at all is no fault of whoever planned. */
function planIn(line: Fields): unknown {
  if ('answer' in line) return planSaid(line);
  if ('plan' in line) return line['plan'];
  throw new NotAnInstance('plan', 'nothing', 'anything; null where there was no answer');
}

/** Found in what was said as it is where a policy that speaks is evaluated: what is rewarded in training counts later. */
function planSaid({ answer, ...line }: Fields): unknown {
  if ('plan' in line) throw new NotAnInstance('answer', 'a plan beside it', 'one of both');
  if (typeof answer !== 'string') throw new NotAnInstance('answer', shown(answer), 'the text that was said');
  return spokenPlan(withoutThoughts(answer).text);
}

function isTruncated({ truncated = false }: Fields): boolean {
  if (typeof truncated === 'boolean') return truncated;
  throw new NotAnInstance('truncated', shown(truncated), 'true or false');
}

function told({ class: name, step, agents, cell, words }: Failure, size: number): LakeJudged['failures'][number] {
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
    return { id: instance.id ?? null, digest: digestOf(instance), ...this.#told(solution, instance) };
  }

  #told(solution: Solution, instance: Instance): Omit<LakeSolved, 'id' | 'digest'> {
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

// Whether a plan could have cost less. What is known of an instance is remembered for a while: trainers have the same
// one solved many times over, and look at the tries one after the other.

interface Known {
  /** No plan costs less. */
  readonly least: number;
  /** There is a plan that costs just that. */
  readonly isReached: boolean;
}

const mostRemembered = 4096;

export class Optima {
  readonly #effort: number;
  readonly #solver = new Solver();
  readonly #terrain = new Terrain();
  /** The one that was not needed for longest comes first. */
  readonly #known = new Map<string, Known>();

  constructor(effort: number) {
    this.#effort = effort;
  }

  /** Of the cost of a valid plan; null where the effort was not enough to tell. */
  isOptimal(instance: Instance, cost: number): boolean | null {
    const key = digestOf(instance);
    const remembered = this.#known.get(key);
    // Not remembered: what is said of a plan must not depend on which plans were seen before.
    if (remembered === undefined && cost === this.#distances(instance)) return true;
    const known = remembered ?? this.#found(instance);
    this.#remember(key, known);
    if (cost === known.least) return true;
    return known.isReached ? false : null;
  }

  #found(instance: Instance): Known {
    const solution = this.#solver.solve(instance, this.#effort);
    if (solution.solvable === true) return { least: solution.cost, isReached: true };
    if (solution.solvable === false) throw new Error('a plan is valid for an instance that is said to have none');
    return { least: solution.bound, isReached: false };
  }

  /** What all agents would have to go if each were alone. */
  #distances(instance: Instance): number {
    this.#terrain.load(instance);
    return instance.agents.reduce((sum, _, agent) => sum + this.#terrain.distance(agent), 0);
  }

  #remember(key: string, known: Known): void {
    this.#known.delete(key);
    this.#known.set(key, known);
    if (this.#known.size <= mostRemembered) return;
    const [oldest = ''] = this.#known.keys();
    this.#known.delete(oldest);
  }
}

// Makes instances for the slots of a batch, ahead of their turn: what is taken already is not known here.

/** Undefined: it was not even tried, because there are none of the kind. Whoever fills the slot knows that by then. */
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

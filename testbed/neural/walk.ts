// Makes one plan step by step: within a step the agents decide one after the other and see earlier choices. It ends when all agents are on
// their goals, when one falls, leaves the grid or collides, or when the plan is too long.
import type { Random } from '../../src/library/plugins/tools.ts';
import { type Cell, horizonOf, type Instance } from '../lake/instance.ts';
import { moveLetters, type Plan } from '../lake/plan.ts';
import { maxMoving, moves, movingFeatures, staticFeatures } from './features.ts';
import { addFeatures, forward, hidden, outputs, setToFirstBias } from './network.ts';

const waiting = 4;
const waitingLetter = 'W';
const none = moves;

export interface Walked {
  readonly plan: Plan;
  /** All agents reached their goals without a failure. */
  readonly hasArrived: boolean;
  /** If all arrived: the sum of the steps of final arrival. */
  readonly cost: number;
  readonly agentSteps: number;
  /** Sums over the agent steps. */
  readonly logProbability: number;
  readonly entropy: number;
  /** The mean value estimate of the agents at the start. */
  readonly value: number;
}

/** The longest plan, as a share of the steps that the rules allow. Agents that need more count as lost. */
const usualHorizon = 0.5;

export class Walker {
  readonly #weights: Float64Array;
  readonly #horizon: number;
  readonly prospects: Prospects;
  readonly #firsts = new Float64Array(hidden);
  readonly #seconds = new Float64Array(hidden);
  readonly #results = new Float64Array(outputs);
  readonly #chances = new Float64Array(moves);
  #moving = new Int16Array(0);
  #now = new Int16Array(0);
  #next = new Int16Array(0);
  #last = new Int8Array(0);
  #lastButOne = new Int8Array(0);
  #instance: Instance = { size: 0, holes: new Uint8Array(0), agents: [] };
  #entropy = 0;

  constructor(weights: Float64Array, horizon = usualHorizon) {
    this.#weights = weights;
    this.#horizon = horizon;
    this.prospects = new Prospects(weights);
  }

  /** Sets the instance for the following plans. Cached features are kept until the next call. */
  load(instance: Instance): void {
    const count = instance.agents.length;
    this.#instance = instance;
    this.prospects.load(instance);
    this.#moving = new Int16Array(maxMoving(count));
    this.#now = new Int16Array(count);
    this.#next = new Int16Array(count);
    this.#last = new Int8Array(count);
    this.#lastButOne = new Int8Array(count);
  }

  /** Samples moves from the policy; takes the likeliest ones if `random` is null. */
  walk(random: Random | null, trace: Trace | null): Walked {
    return this.#walk(() => (random === null ? this.#likeliest() : this.#drawn(random)), trace);
  }

  /** Follows the moves of a given plan and evaluates them. */
  follow(plan: Plan, trace: Trace | null): Walked {
    return this.#walk((a, step) => Math.max(moveLetters.indexOf(plan[a]?.[step] ?? waitingLetter), 0), trace);
  }

  #walk(choose: (agent: number, step: number) => number, trace: Trace | null): Walked {
    const { size, agents } = this.#instance;
    const plan = agents.map(() => '');
    agents.forEach(({ start }, a) => {
      this.#now[a] = start;
    });
    this.#last.fill(none);
    this.#lastButOne.fill(none);
    const sums = { agentSteps: 0, logProbability: 0, entropy: 0, value: 0 };
    const longest = Math.ceil(horizonOf(size) * this.#horizon);
    let isSafe = true;
    for (let step = 0; isSafe && step < longest && !this.#hasArrived(); step++) {
      for (let a = 0; a < agents.length; a++) {
        const count = movingFeatures(this.#moving, size, a, this.#now, this.#next, this.#last, this.#lastButOne);
        const slot = this.#look(a, count);
        const move = choose(a, step);
        const value = this.#results[moves] as number;
        if (step === 0) sums.value += value / agents.length;
        sums.logProbability += Math.log(this.#chances[move] as number);
        sums.entropy += this.#entropy;
        sums.agentSteps++;
        trace?.add(slot, this.#moving, count, this.#firsts, this.#seconds, this.#chances, value, this.#entropy, move);
        isSafe = this.#go(a, move) && isSafe;
        plan[a] += moveLetters.charAt(move);
        this.#lastButOne[a] = this.#last[a] as number;
        this.#last[a] = move;
      }
      isSafe = isSafe && this.#areApart();
      this.#now.set(this.#next);
    }
    const hasArrived = isSafe && this.#hasArrived();
    return { plan, hasArrived, cost: hasArrived ? costOf(plan) : 0, ...sums };
  }

  /** The output of the network for agent `a`. */
  #look(a: number, count: number): number {
    const slot = this.prospects.slot(a, this.#now[a] as Cell);
    const seen = this.prospects.sums;
    const at = slot * hidden;
    for (let i = 0; i < hidden; i++) this.#firsts[i] = seen[at + i] as number;
    addFeatures(this.#weights, this.#moving, count, this.#firsts, 0);
    forward(this.#weights, this.#firsts, 0, this.#seconds, 0, this.#results, 0);
    this.#entropy = softmax(this.#results, this.#chances);
    return slot;
  }

  #likeliest(): number {
    let best = 0;
    for (let move = 1; move < moves; move++)
      if ((this.#chances[move] as number) > (this.#chances[best] as number)) best = move;
    return best;
  }

  #drawn(random: Random): number {
    let left = random.fraction();
    for (let move = 0; move < moves - 1; move++) {
      left -= this.#chances[move] as number;
      if (left < 0) return move;
    }
    return moves - 1;
  }

  /** False if the agent leaves the grid or falls. */
  #go(a: number, move: number): boolean {
    const { size, holes } = this.#instance;
    const cell = this.#now[a] as Cell;
    const column = cell % size;
    this.#next[a] = cell;
    if (move === waiting) return true;
    const next = cell + (move === 0 ? -size : move === 1 ? size : move === 2 ? -1 : 1);
    const leaves = move === 2 ? column === 0 : move === 3 ? column === size - 1 : next < 0 || next >= size * size;
    if (leaves) return false;
    this.#next[a] = next;
    return holes[next] === 0;
  }

  #areApart(): boolean {
    for (let a = 1; a < this.#now.length; a++) {
      for (let b = 0; b < a; b++) {
        if (this.#next[a] === this.#next[b]) return false;
        if (this.#next[a] === this.#now[b] && this.#next[b] === this.#now[a]) return false;
      }
    }
    return true;
  }

  #hasArrived(): boolean {
    return this.#instance.agents.every(({ goal }, a) => this.#now[a] === goal);
  }
}

/** Converts scores to probabilities; returns their entropy in nats. */
function softmax(scores: Float64Array, chances: Float64Array): number {
  let most = scores[0] as number;
  for (let move = 1; move < moves; move++) most = Math.max(most, scores[move] as number);
  let sum = 0;
  for (let move = 0; move < moves; move++) {
    const weight = Math.exp((scores[move] as number) - most);
    chances[move] = weight;
    sum += weight;
  }
  let entropy = 0;
  for (let move = 0; move < moves; move++) {
    const chance = (chances[move] as number) / sum;
    chances[move] = chance;
    if (chance > 0) entropy -= chance * Math.log(chance);
  }
  return entropy;
}

function costOf(plan: readonly string[]): number {
  return plan.reduce((sum, moves) => sum + moves.replace(/W+$/, '').length, 0);
}

// The intermediate results of plans, step by step, that learning needs.

/** The maximum number of moving features: two for the last moves, and two for every other agent. */
const maxFeatures = 2 + 2 * 25;

export class Trace {
  count = 0;
  slots = new Int32Array(0);
  features = new Int16Array(0);
  featureCounts = new Int8Array(0);
  firsts = new Float64Array(0);
  seconds = new Float64Array(0);
  chances = new Float64Array(0);
  values = new Float64Array(0);
  entropies = new Float64Array(0);
  taken = new Int8Array(0);
  static readonly stride = maxFeatures;

  clear(): void {
    this.count = 0;
  }

  add(
    slot: number,
    features: Int16Array,
    featureCount: number,
    firsts: Float64Array,
    seconds: Float64Array,
    chances: Float64Array,
    value: number,
    entropy: number,
    move: number,
  ): void {
    if (this.count === this.slots.length) this.#widen();
    const n = this.count++;
    this.slots[n] = slot;
    this.featureCounts[n] = featureCount;
    for (let f = 0; f < featureCount; f++) this.features[n * maxFeatures + f] = features[f] as number;
    this.firsts.set(firsts, n * hidden);
    this.seconds.set(seconds, n * hidden);
    this.chances.set(chances, n * moves);
    this.values[n] = value;
    this.entropies[n] = entropy;
    this.taken[n] = move;
  }

  #widen(): void {
    const places = Math.max(1024, 2 * this.slots.length);
    const wider = <T extends Int32Array | Int16Array | Int8Array | Float64Array>(old: T, made: T): T => {
      made.set(old);
      return made;
    };
    this.slots = wider(this.slots, new Int32Array(places));
    this.features = wider(this.features, new Int16Array(places * maxFeatures));
    this.featureCounts = wider(this.featureCounts, new Int8Array(places));
    this.firsts = wider(this.firsts, new Float64Array(places * hidden));
    this.seconds = wider(this.seconds, new Float64Array(places * hidden));
    this.chances = wider(this.chances, new Float64Array(places * moves));
    this.values = wider(this.values, new Float64Array(places));
    this.entropies = wider(this.entropies, new Float64Array(places));
    this.taken = wider(this.taken, new Int8Array(places));
  }
}

// The features of every cell for every agent of one instance, as sums of the first layer: computed when an agent first visits the cell, and
// reused for all plans.

class Prospects {
  readonly #weights: Float64Array;
  #instance: Instance = { size: 0, holes: new Uint8Array(0), agents: [] };
  /** By agent and cell: its index in `sums`, -1 if not computed. */
  #slots = new Int32Array(0);
  #count = 0;
  sums = new Float64Array(0);
  /** By slot. */
  readonly features: (readonly number[])[] = [];

  constructor(weights: Float64Array) {
    this.#weights = weights;
  }

  load(instance: Instance): void {
    this.#instance = instance;
    const entries = instance.agents.length * instance.size ** 2;
    if (this.#slots.length < entries) this.#slots = new Int32Array(entries);
    this.#slots.fill(-1);
    this.#count = 0;
    this.features.length = 0;
  }

  slot(agent: number, cell: Cell): number {
    const entry = agent * this.#instance.size ** 2 + cell;
    const known = this.#slots[entry] as number;
    if (known >= 0) return known;
    const slot = this.#count++;
    this.#slots[entry] = slot;
    if (this.sums.length < this.#count * hidden) {
      const wider = new Float64Array(2 * this.#count * hidden);
      wider.set(this.sums);
      this.sums = wider;
    }
    const features = staticFeatures(this.#instance, agent, cell);
    this.features.push(features);
    setToFirstBias(this.#weights, this.sums, slot * hidden);
    addFeatures(this.#weights, features, features.length, this.sums, slot * hidden);
    return slot;
  }
}

// Learns from one sample group: several plans for one instance, each compared with the others. Adds to a gradient; the owner of the
// weights applies it.
import { Random } from '../../src/library/plugins/tools.ts';
import type { Instance } from '../lake/instance.ts';
import type { Plan } from '../lake/plan.ts';
import { moves } from '../neural/features.ts';
import { backward, backwardOfValue, hidden, outputs, spread, spreadToFirstBias } from '../neural/network.ts';
import { Trace, type Walked, Walker } from '../neural/walk.ts';
import { rewardOfValid, type Settings } from './settings.ts';

export interface TrainingTask {
  readonly instance: Instance;
  /** The optimal cost. */
  readonly cost: number;
}

export interface Learnt {
  readonly rewards: readonly number[];
  readonly valid: number;
  readonly agentSteps: number;
  /** Sum over the agent steps. */
  readonly entropy: number;
  /** Mean over the agent steps of the first plan: the divergence from the policy before training, in nats. */
  readonly kl: number;
  /** By sample, the walks of the policy. */
  readonly walks: readonly Walked[];
}

export class Learner {
  readonly #weights: Float64Array;
  readonly #settings: Settings;
  readonly #walker: Walker;
  /** Walks with the weights before training. */
  readonly #formerWalker: Walker;
  readonly #trace = new Trace();
  readonly #formerTrace = new Trace();
  readonly #wanted = new Float64Array(outputs);
  readonly #slopes = new Float64Array(hidden);
  #slotSlopes = new Float64Array(0);

  /** The weights may change between tasks. */
  constructor(weights: Float64Array, reference: Float64Array, settings: Settings) {
    this.#weights = weights;
    this.#settings = settings;
    this.#walker = new Walker(weights, settings.horizon);
    this.#formerWalker = new Walker(reference, settings.horizon);
  }

  /** `purpose` separates the random numbers of this task from those of others. */
  learn({ instance, cost }: TrainingTask, gradient: Float64Array, seed: string, purpose: readonly number[]): Learnt {
    const { samples } = this.#settings;
    this.#walker.load(instance);
    this.#trace.clear();
    const rewards: number[] = [];
    const walks: Walked[] = [];
    /** By sample, where its agent steps end in the trace. */
    const ends: number[] = [];
    let entropy = 0;
    let kl = 0;
    for (let sample = 0; sample < samples; sample++) {
      const walked = this.#walker.walk(new Random(seed, 'train', ...purpose, sample), this.#trace);
      walks.push(walked);
      rewards.push(walked.hasArrived ? rewardOfValid(walked.cost, walked.cost === cost, this.#settings) : 0);
      ends.push(this.#trace.count);
      entropy += walked.entropy;
      if (sample === 0) kl = this.#divergence(instance, walked.plan);
    }
    this.#ascend(rewards, ends, gradient);
    const valid = rewards.filter((reward) => reward > 0).length;
    return { rewards, valid, agentSteps: this.#trace.count, entropy, kl, walks };
  }

  /** Imitates the teacher's moves. */
  imitate({ instance }: TrainingTask, plan: readonly string[], gradient: Float64Array): number {
    this.#walker.load(instance);
    this.#trace.clear();
    this.#walker.follow(plan, this.#trace);
    this.#clearSlots();
    for (let n = 0; n < this.#trace.count; n++) {
      for (let move = 0; move < moves; move++) this.#wanted[move] = this.#surprise(n, move);
      this.#wanted[moves] = 0;
      this.#push(n, gradient);
    }
    this.#settle(gradient);
    return this.#trace.count;
  }

  #divergence(instance: Instance, plan: Plan): number {
    this.#formerWalker.load(instance);
    this.#formerTrace.clear();
    this.#formerWalker.follow(plan, this.#formerTrace);
    const { chances, count } = this.#trace;
    let sum = 0;
    for (let i = 0; i < count * moves; i++) {
      const chance = chances[i] as number;
      if (chance > 0) sum += chance * Math.log(chance / (this.#formerTrace.chances[i] as number));
    }
    return count === 0 ? 0 : sum / count;
  }

  /**
   * Equal rewards say nothing about moves. If all plans failed, other moves become slightly more likely; if all succeeded, only
   * the value is trained, which is fast.
   */
  #ascend(rewards: readonly number[], ends: readonly number[], gradient: Float64Array): void {
    const { value } = this.#settings;
    const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
    const isMastered = mean > 0 && !rewardsDiffer(rewards);
    this.#clearSlots();
    let n = 0;
    rewards.forEach((reward, sample) => {
      for (; n < (ends[sample] as number); n++) {
        const error = value * ((this.#trace.values[n] as number) - reward);
        if (isMastered) backwardOfValue(gradient, this.#trace.seconds, n * hidden, error);
        else {
          this.#want(n, reward - mean);
          this.#wanted[moves] = error;
          this.#push(n, gradient);
        }
      }
    });
    if (!isMastered) this.#settle(gradient);
  }

  /** The slope of the loss by the scores: the advantage, and an entropy bonus. */
  #want(n: number, advantage: number): void {
    const { chances, entropies } = this.#trace;
    const at = n * moves;
    const entropy = entropies[n] as number;
    for (let move = 0; move < moves; move++) {
      const chance = chances[at + move] as number;
      const sureness = chance > 0 ? this.#settings.entropy * chance * (Math.log(chance) + entropy) : 0;
      this.#wanted[move] = advantage * this.#surprise(n, move) + sureness;
    }
  }

  /** How much less likely a move should have been. */
  #surprise(n: number, move: number): number {
    return (this.#trace.chances[n * moves + move] as number) - (this.#trace.taken[n] === move ? 1 : 0);
  }

  #push(n: number, gradient: Float64Array): void {
    const { firsts, seconds, features, featureCounts, slots } = this.#trace;
    const slopes = this.#slopes;
    backward(this.#weights, gradient, firsts, n * hidden, seconds, n * hidden, this.#wanted, slopes);
    spread(gradient, features, n * Trace.stride, featureCounts[n] as number, slopes, 0);
    const at = (slots[n] as number) * hidden;
    for (let i = 0; i < hidden; i++) {
      this.#slotSlopes[at + i] = (this.#slotSlopes[at + i] as number) + (slopes[i] as number);
    }
  }

  #clearSlots(): void {
    const entries = this.#walker.prospects.features.length * hidden;
    if (this.#slotSlopes.length < entries) this.#slotSlopes = new Float64Array(2 * entries);
    else this.#slotSlopes.fill(0, 0, entries);
  }

  /** Applies the gradient of every move on a cell to the features of the cell. */
  #settle(gradient: Float64Array): void {
    this.#walker.prospects.features.forEach((features, slot) => {
      spread(gradient, features, 0, features.length, this.#slotSlopes, slot * hidden);
      spreadToFirstBias(gradient, this.#slotSlopes, slot * hidden);
    });
  }
}

/** Whether comparing the rewards yields a learning signal. */
export function rewardsDiffer(rewards: readonly number[]): boolean {
  return rewards.some((reward) => reward !== rewards[0]);
}

// Adam: a step against the gradient, scaled per weight by the history of its gradients. Weights and moments stay exact 32-bit floats,
// so that a checkpoint contains exactly what resuming needs.

const firstDecay = 0.9;
/** Short enough that a rarely used weight does not jump when it is used again. */
const secondDecay = 0.99;
const tiny = 1e-8;

export interface Adam {
  readonly firsts: Float32Array;
  readonly seconds: Float32Array;
}

export function newAdam(count: number): Adam {
  return { firsts: new Float32Array(count), seconds: new Float32Array(count) };
}

/** Step number `step`, from 1. The gradient is a sum over `agentSteps`, and is divided by that number. */
export function descend(
  { firsts, seconds }: Adam,
  weights: Float64Array,
  gradient: Float64Array,
  agentSteps: number,
  step: number,
  rate: number,
): void {
  const first = 1 - power(firstDecay, step);
  const second = 1 - power(secondDecay, step);
  for (let i = 0; i < weights.length; i++) {
    const slope = (gradient[i] as number) / agentSteps;
    firsts[i] = firstDecay * (firsts[i] as number) + (1 - firstDecay) * slope;
    seconds[i] = secondDecay * (seconds[i] as number) + (1 - secondDecay) * slope * slope;
    const by = (rate * ((firsts[i] as number) / first)) / (Math.sqrt((seconds[i] as number) / second) + tiny);
    weights[i] = Math.fround((weights[i] as number) - by);
  }
}

/** Uses multiplications only: the result of `**` depends on the processor and the version of Node. */
function power(base: number, exponent: number): number {
  let result = 1;
  let square = base;
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result *= square;
    square *= square;
  }
  return result;
}

// The network that all agents share: features, two hidden layers of rectified units, then a score for every move and a value estimate.
// Plain loops over typed arrays in a fixed order give the same numbers on every machine. Weights are exact 32-bit floats, as in a checkpoint,
// stored as 64-bit floats, which compute faster. Rows are processed four at a time to avoid reading and writing the same sums repeatedly,
// which halves the time.

import { Random } from '../../src/library/plugins/tools.ts';
import { featureCount, moves } from './features.ts';

export const hidden = 64;
/** Scores of moves, then the value. */
export const outputs = moves + 1;

interface Tensor {
  readonly name: string;
  /** Its offset in the array of all weights. */
  readonly from: number;
  readonly shape: readonly number[];
}

const firstBias = featureCount * hidden;
const second = firstBias + hidden;
const secondBias = second + hidden * hidden;
const out = secondBias + hidden;
const outBias = out + hidden * outputs;

export const weightCount = outBias + outputs;

export const tensors: readonly Tensor[] = [
  { name: 'first.weight', from: 0, shape: [featureCount, hidden] },
  { name: 'first.bias', from: firstBias, shape: [hidden] },
  { name: 'second.weight', from: second, shape: [hidden, hidden] },
  { name: 'second.bias', from: secondBias, shape: [hidden] },
  { name: 'out.weight', from: out, shape: [hidden, outputs] },
  { name: 'out.bias', from: outBias, shape: [outputs] },
];

/** Adds the rows of features to `sums`, from `at` on. */
export function addFeatures(
  weights: Float64Array,
  features: ArrayLike<number>,
  count: number,
  sums: Float64Array,
  at: number,
): void {
  let f = 0;
  for (; f + 3 < count; f += 4) {
    const a = (features[f] as number) * hidden;
    const b = (features[f + 1] as number) * hidden;
    const c = (features[f + 2] as number) * hidden;
    const d = (features[f + 3] as number) * hidden;
    for (let i = 0; i < hidden; i++) {
      sums[at + i] =
        (sums[at + i] as number) +
        (weights[a + i] as number) +
        (weights[b + i] as number) +
        (weights[c + i] as number) +
        (weights[d + i] as number);
    }
  }
  for (; f < count; f++) {
    const row = (features[f] as number) * hidden;
    for (let i = 0; i < hidden; i++) sums[at + i] = (sums[at + i] as number) + (weights[row + i] as number);
  }
}

export function setToFirstBias(weights: Float64Array, sums: Float64Array, at: number): void {
  for (let i = 0; i < hidden; i++) sums[at + i] = weights[firstBias + i] as number;
}

/** Active units of the first layer, as used by `forward` and `backward`. */
const on = new Int32Array(hidden);

/** Sets negative units to 0; returns the number of active ones. */
function findOn(firsts: Float64Array, first: number): number {
  let count = 0;
  for (let j = 0; j < hidden; j++) {
    if ((firsts[first + j] as number) > 0) on[count++] = j;
    else firsts[first + j] = 0;
  }
  return count;
}

/** From the first layer's units at `first` to those of the second at `then` and the outputs at `last`. */
export function forward(
  weights: Float64Array,
  firsts: Float64Array,
  first: number,
  seconds: Float64Array,
  then: number,
  results: Float64Array,
  last: number,
): void {
  for (let i = 0; i < hidden; i++) seconds[then + i] = weights[secondBias + i] as number;
  const count = findOn(firsts, first);
  let k = 0;
  for (; k + 3 < count; k += 4) {
    const [a, b, c, d] = [on[k], on[k + 1], on[k + 2], on[k + 3]] as [number, number, number, number];
    const unitA = firsts[first + a] as number;
    const unitB = firsts[first + b] as number;
    const unitC = firsts[first + c] as number;
    const unitD = firsts[first + d] as number;
    const [rowA, rowB, rowC, rowD] = [rowOf(a), rowOf(b), rowOf(c), rowOf(d)];
    for (let i = 0; i < hidden; i++) {
      seconds[then + i] =
        (seconds[then + i] as number) +
        unitA * (weights[rowA + i] as number) +
        unitB * (weights[rowB + i] as number) +
        unitC * (weights[rowC + i] as number) +
        unitD * (weights[rowD + i] as number);
    }
  }
  for (; k < count; k++) {
    const unit = firsts[first + (on[k] as number)] as number;
    const row = rowOf(on[k] as number);
    for (let i = 0; i < hidden; i++) {
      seconds[then + i] = (seconds[then + i] as number) + unit * (weights[row + i] as number);
    }
  }
  for (let o = 0; o < outputs; o++) results[last + o] = weights[outBias + o] as number;
  for (let j = 0; j < hidden; j++) {
    const unit = seconds[then + j] as number;
    if (unit <= 0) {
      seconds[then + j] = 0;
      continue;
    }
    const row = out + j * outputs;
    for (let o = 0; o < outputs; o++) {
      results[last + o] = (results[last + o] as number) + unit * (weights[row + o] as number);
    }
  }
}

/** The offset of the weights from a unit of the first layer to the second. */
const rowOf = (unit: number): number => second + unit * hidden;

/**
 * Adds to `gradient` the part of `wanted` (the slope of the loss by every output) for the second layer and the outputs, and writes the slope
 * by the first layer's sums to `slopes`.
 */
export function backward(
  weights: Float64Array,
  gradient: Float64Array,
  firsts: Float64Array,
  first: number,
  seconds: Float64Array,
  then: number,
  wanted: Float64Array,
  slopes: Float64Array,
): void {
  backwardToSecond(weights, gradient, seconds, then, wanted);
  slopes.fill(0);
  const count = findOn(firsts, first);
  let k = 0;
  for (; k + 3 < count; k += 4) {
    const [a, b, c, d] = [on[k], on[k + 1], on[k + 2], on[k + 3]] as [number, number, number, number];
    const unitA = firsts[first + a] as number;
    const unitB = firsts[first + b] as number;
    const unitC = firsts[first + c] as number;
    const unitD = firsts[first + d] as number;
    const [rowA, rowB, rowC, rowD] = [rowOf(a), rowOf(b), rowOf(c), rowOf(d)];
    let slopeA = 0;
    let slopeB = 0;
    let slopeC = 0;
    let slopeD = 0;
    for (let i = 0; i < hidden; i++) {
      const asked = inner[i] as number;
      gradient[rowA + i] = (gradient[rowA + i] as number) + unitA * asked;
      slopeA += (weights[rowA + i] as number) * asked;
      gradient[rowB + i] = (gradient[rowB + i] as number) + unitB * asked;
      slopeB += (weights[rowB + i] as number) * asked;
      gradient[rowC + i] = (gradient[rowC + i] as number) + unitC * asked;
      slopeC += (weights[rowC + i] as number) * asked;
      gradient[rowD + i] = (gradient[rowD + i] as number) + unitD * asked;
      slopeD += (weights[rowD + i] as number) * asked;
    }
    slopes[a] = slopeA;
    slopes[b] = slopeB;
    slopes[c] = slopeC;
    slopes[d] = slopeD;
  }
  for (; k < count; k++) {
    const unit = firsts[first + (on[k] as number)] as number;
    const row = rowOf(on[k] as number);
    let slope = 0;
    for (let i = 0; i < hidden; i++) {
      const asked = inner[i] as number;
      gradient[row + i] = (gradient[row + i] as number) + unit * asked;
      slope += (weights[row + i] as number) * asked;
    }
    slopes[on[k] as number] = slope;
  }
}

/** Slopes by the second layer's sums. */
const inner = new Float64Array(hidden);

function backwardToSecond(
  weights: Float64Array,
  gradient: Float64Array,
  seconds: Float64Array,
  then: number,
  wanted: Float64Array,
): void {
  for (let o = 0; o < outputs; o++) gradient[outBias + o] = (gradient[outBias + o] as number) + (wanted[o] as number);
  for (let j = 0; j < hidden; j++) {
    const unit = seconds[then + j] as number;
    inner[j] = 0;
    if (unit <= 0) continue;
    const row = out + j * outputs;
    let slope = 0;
    for (let o = 0; o < outputs; o++) {
      const asked = wanted[o] as number;
      gradient[row + o] = (gradient[row + o] as number) + unit * asked;
      slope += (weights[row + o] as number) * asked;
    }
    inner[j] = slope;
    gradient[secondBias + j] = (gradient[secondBias + j] as number) + slope;
  }
}

/** For a loss of the value alone, limited to the last layer: cheap, and does not change the features used for moves. */
export function backwardOfValue(gradient: Float64Array, seconds: Float64Array, then: number, wanted: number): void {
  gradient[outBias + moves] = (gradient[outBias + moves] as number) + wanted;
  for (let j = 0; j < hidden; j++) {
    const at = out + j * outputs + moves;
    gradient[at] = (gradient[at] as number) + (seconds[then + j] as number) * wanted;
  }
}

/** Adds slopes by the first layer's sums, from `at` on, to the rows of `count` features, listed from `from` on. */
export function spread(
  gradient: Float64Array,
  features: ArrayLike<number>,
  from: number,
  count: number,
  slopes: Float64Array,
  at: number,
): void {
  for (let f = from; f < from + count; f++) {
    const row = (features[f] as number) * hidden;
    for (let i = 0; i < hidden; i++) gradient[row + i] = (gradient[row + i] as number) + (slopes[at + i] as number);
  }
}

export function spreadToFirstBias(gradient: Float64Array, slopes: Float64Array, at: number): void {
  for (let i = 0; i < hidden; i++) {
    gradient[firstBias + i] = (gradient[firstBias + i] as number) + (slopes[at + i] as number);
  }
}

// Initial weights: random, scaled for rectified units; outputs are nearly equal for all moves.

/** The approximate number of simultaneous features. */
const features = 30;
const scales: Readonly<Record<string, number>> = {
  'first.weight': Math.sqrt(2 / features),
  'second.weight': Math.sqrt(2 / hidden),
  'out.weight': 0.05,
};

export function freshWeights(seed: string): Float64Array {
  const random = new Random(seed, 'neural', 'weights');
  const weights = new Float64Array(weightCount);
  for (const { name, from, shape } of tensors) {
    const scale = scales[name];
    if (scale === undefined) continue;
    for (let i = 0; i < sizeOf(shape); i++) weights[from + i] = Math.fround(scale * normal(random));
  }
  return weights;
}

/** Approximately normal, with mean 0 and variance 1, from additions only: the same on every machine. */
function normal(random: Random): number {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += random.fraction();
  return sum;
}

/** The number of elements of a tensor with this shape. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, side) => product * side, 1);
}

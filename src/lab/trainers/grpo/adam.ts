// Adam: a step against the gradient, scaled weight by weight by how it went before. Weights and memories stay whole
// 32-bit floats, so that a checkpoint holds exactly what training goes on with.

const firstDecay = 0.9;
/** Short enough that a weight which was hardly needed for long does not leap when it is. */
const secondDecay = 0.99;
const tiny = 1e-8;

export interface Adam {
  readonly firsts: Float32Array;
  readonly seconds: Float32Array;
}

export function newAdam(count: number): Adam {
  return { firsts: new Float32Array(count), seconds: new Float32Array(count) };
}

/** The `step`-th step, from 1. The gradient is that of the mean over `agentSteps`, of which it is the sum. */
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

/** By multiplications alone: what `**` gives depends on the processor and on the version of Node. */
function power(base: number, exponent: number): number {
  let result = 1;
  let square = base;
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result *= square;
    square *= square;
  }
  return result;
}

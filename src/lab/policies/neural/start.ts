// Weights to begin with: drawn at random, as large as layers of rectified units want them; outputs nearly the same for
// all moves.
import { Random } from '../../random.ts';
import { hidden, tensors, weightCount } from './network.ts';
import { sizeOf } from './safetensors.ts';

/** About so many features are there at once. */
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
    for (let i = 0; i < sizeOf(shape); i++) weights[from + i] = Math.fround(scale * bell(random));
  }
  return weights;
}

/** Nearly normal, with mean 0 and variance 1, from additions alone: the same on every machine. */
function bell(random: Random): number {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += random.fraction();
  return sum;
}

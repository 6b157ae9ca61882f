// How sure a mean is whose values follow no law that is known: it is taken again and again of values drawn from those there
// are, with replacement.
import { Random } from '../random.ts';
import type { Interval } from './wilson.ts';

/** In many drawings the means of the middle share of them, `level`, end here. The same seed gives the same interval. */
export function bootstrap(values: readonly number[], level: number, seed: string, drawings = 4000): Interval {
  const luck = new Random(seed, 'bootstrap', values.length);
  const means = new Float64Array(drawings);
  for (let drawing = 0; drawing < drawings; drawing++) {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[luck.below(values.length)] ?? 0;
    means[drawing] = sum / values.length;
  }
  means.sort();
  const beyond = Math.floor(((1 - level) / 2) * drawings);
  return { low: means[beyond] ?? Number.NaN, high: means[drawings - 1 - beyond] ?? Number.NaN };
}

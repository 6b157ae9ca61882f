import { expect, it } from 'vitest';
import { Random } from '../../random.ts';
import { featureCount } from './features.ts';
import {
  addFeatures,
  backward,
  forward,
  hidden,
  outputs,
  setToFirstBias,
  spread,
  spreadToFirstBias,
  weightCount,
} from './network.ts';

const random = new Random('network', 'test');
const number = (): number => random.fraction() - 0.5;
const weights = Float64Array.from({ length: weightCount }, () => 0.6 * number());
const features = Int16Array.from({ length: 12 }, () => random.below(featureCount));
const wanted = Float64Array.from({ length: outputs }, number);

/** Sum of the outputs, each as often as wanted: its slope is the gradient. */
function loss(of: Float64Array): number {
  const { results } = run(of);
  return results.reduce((sum, result, o) => sum + result * (wanted[o] as number), 0);
}

function run(of: Float64Array): { firsts: Float64Array; seconds: Float64Array; results: Float64Array } {
  const [firsts, seconds, results] = [new Float64Array(hidden), new Float64Array(hidden), new Float64Array(outputs)];
  setToFirstBias(of, firsts, 0);
  addFeatures(of, features, features.length, firsts, 0);
  forward(of, firsts, 0, seconds, 0, results, 0);
  return { firsts, seconds, results };
}

it('the gradient is the slope found by small changes, weight by weight', () => {
  const { firsts, seconds } = run(weights);
  const gradient = new Float64Array(weightCount);
  const slopes = new Float64Array(hidden);
  backward(weights, gradient, firsts, 0, seconds, 0, wanted, 0, slopes);
  spread(gradient, features, 0, features.length, slopes, 0);
  spreadToFirstBias(gradient, slopes, 0);
  const step = 1e-6;
  const inUse = new Set(features);
  for (let i = 0; i < weightCount; i++) {
    // Rows of features that are not there have no slope; one in a hundred of them is looked at.
    if (i < featureCount * hidden && !inUse.has(Math.floor(i / hidden)) && i % 100 !== 0) continue;
    const held = weights[i] as number;
    weights[i] = held + step;
    const above = loss(weights);
    weights[i] = held - step;
    const below = loss(weights);
    weights[i] = held;
    expect(Math.abs((above - below) / (2 * step) - (gradient[i] as number))).toBeLessThan(1e-6);
  }
});

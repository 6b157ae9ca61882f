import { expect, it } from 'vitest';
import { Random } from '../../src/lab/random.ts';
import { featureCount, moves } from './features.ts';
import {
  addFeatures,
  backward,
  backwardOfValue,
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

type Loss = (results: Float64Array) => number;

/** The sum of the outputs, weighted by `wanted`: its gradient is `wanted`. */
const ofAll: Loss = (results) => results.reduce((sum, result, o) => sum + result * (wanted[o] as number), 0);
const ofValue: Loss = (results) => (results[moves] as number) * (wanted[moves] as number);

function run(of: Float64Array): { firsts: Float64Array; seconds: Float64Array; results: Float64Array } {
  const [firsts, seconds, results] = [new Float64Array(hidden), new Float64Array(hidden), new Float64Array(outputs)];
  setToFirstBias(of, firsts, 0);
  addFeatures(of, features, features.length, firsts, 0);
  forward(of, firsts, 0, seconds, 0, results, 0);
  return { firsts, seconds, results };
}

/** By a finite difference of one weight. */
function slopeAt(i: number, loss: Loss): number {
  const step = 1e-6;
  const held = weights[i] as number;
  weights[i] = held + step;
  const above = loss(run(weights).results);
  weights[i] = held - step;
  const below = loss(run(weights).results);
  weights[i] = held;
  return (above - below) / (2 * step);
}

it('the gradient agrees with finite differences, weight by weight', () => {
  const { firsts, seconds } = run(weights);
  const gradient = new Float64Array(weightCount);
  const slopes = new Float64Array(hidden);
  backward(weights, gradient, firsts, 0, seconds, 0, wanted, slopes);
  spread(gradient, features, 0, features.length, slopes, 0);
  spreadToFirstBias(gradient, slopes, 0);
  const inUse = new Set(features);
  for (let i = 0; i < weightCount; i++) {
    // Rows of absent features have no gradient; one in a hundred is checked.
    if (i < featureCount * hidden && !inUse.has(Math.floor(i / hidden)) && i % 100 !== 0) continue;
    expect(Math.abs(slopeAt(i, ofAll) - (gradient[i] as number))).toBeLessThan(1e-6);
  }
});

it('the gradient of the value alone covers the last layer', () => {
  const { seconds } = run(weights);
  const gradient = new Float64Array(weightCount);
  backwardOfValue(gradient, seconds, 0, wanted[moves] as number);
  const out = weightCount - outputs - hidden * outputs;
  expect(gradient.slice(0, out).every((slope) => slope === 0)).toBe(true);
  for (let i = out; i < weightCount; i++)
    expect(Math.abs(slopeAt(i, ofValue) - (gradient[i] as number))).toBeLessThan(1e-6);
});

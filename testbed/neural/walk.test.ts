// The walker computes validity and cost itself, which determine the reward, so it is compared with the judge.
import { expect, it } from 'vitest';
import { Random } from '../../src/lab/random.ts';
import { baseState } from '../grpo/base.ts';
import { configured } from '../grpo/testing/configured.ts';
import type { LakeConfiguration } from '../lake/configuration.ts';
import { generate } from '../lake/generator/generate.ts';
import { horizonOf } from '../lake/instance.ts';
import { judge } from '../lake/judge.ts';
import { freshWeights } from './network.ts';
import { Walker } from './walk.ts';

const knobs = { data: 0.5, hole: 0.05 };

it.each([1, 2, 3, 4])('the walker agrees with the judge on plans for %i agents', async (agents) => {
  const wait = agents === 1 ? 0 : 0.2;
  const sizes = { '3': { ...knobs, wait }, '5': { ...knobs, wait } };
  const configuration = { ...configured(sizes), agents } as unknown as LakeConfiguration;
  const walker = new Walker((await baseState(configuration, 'walker')).weights);
  const met = { arrived: 0, lost: 0 };
  for (const { instance } of generate(configuration, 60, { split: 'train', seed: 'walker' })) {
    walker.load(instance);
    for (let sample = 0; sample < 20; sample++) {
      const { plan, hasArrived, cost } = walker.walk(sample === 0 ? null : new Random('walker', 'walk', sample), null);
      const judged = judge(instance, plan);
      expect({ hasArrived, cost: hasArrived ? cost : null }).toEqual({
        hasArrived: judged.failures.length === 0,
        cost: judged.cost,
      });
      met[hasArrived ? 'arrived' : 'lost'] += 1;
    }
  }
  expect(met.arrived).toBeGreaterThan(0);
  expect(met.lost).toBeGreaterThan(0);
});

it('a plan has at most the given share of the steps that the rules allow', () => {
  const configuration = configured({ '5': { data: 1, hole: 0, wait: 0 } }) as unknown as LakeConfiguration;
  const [made] = [...generate(configuration, 1, { split: 'train', seed: 'horizon' })];
  const { instance } = made as NonNullable<typeof made>;
  const weights = freshWeights('horizon');
  for (const share of [0.1, 0.25, 0.5, 1]) {
    const walker = new Walker(weights, share);
    walker.load(instance);
    const waiting = walker.follow(['W'.repeat(100), 'W'.repeat(100)], null);
    expect(waiting.plan.map((moves) => moves.length)).toEqual([0, 1].map(() => Math.ceil(horizonOf(5) * share)));
  }
});

// The gradient of a sample group, compared with finite differences for every kind of weight.
import { describe, expect, it } from 'vitest';
import { tries } from '../../schemas/testing/tries.ts';
import { Random } from '../../src/lab/random.ts';
import { moves } from '../neural/features.ts';
import { freshWeights, hidden, weightCount } from '../neural/network.ts';
import { Trace, Walker } from '../neural/walk.ts';
import { baseState } from './base.ts';
import { curriculumOf, TrainingTasks } from './batches.ts';
import { Learner, type Learnt, rewardsDiffer, type TrainingTask } from './learner.ts';
import { defaults } from './settings.ts';
import { configured } from './testing/configured.ts';

const configuration = configured({
  '3': { data: 0.5, hole: 0.1, wait: 0.2 },
  '4': { data: 0.5, hole: 0.1, wait: 0.2 },
}) as never;
const weights = Float64Array.from((await baseState(configuration, 'learner')).weights);
const reference = freshWeights('another');

interface Taught {
  readonly task: TrainingTask;
  readonly learnt: Learnt;
  readonly gradient: Float64Array;
  readonly plans: readonly (readonly string[])[];
}

/** The first task with suitable rewards. */
async function taughtWhere(fits: (rewards: readonly number[]) => boolean, samples = 8): Promise<Taught> {
  const tasks = new TrainingTasks(await curriculumOf(configuration, 'learner'));
  const learner = new Learner(weights, reference, { ...defaults, samples });
  for (let i = 0; i < 500; i++) {
    const task = tasks.at(i);
    if (task === null) continue;
    const gradient = new Float64Array(weightCount);
    const learnt = learner.learn(task, gradient, 'seed', [0, i]);
    if (!fits(learnt.rewards)) continue;
    const walker = new Walker(weights);
    walker.load(task.instance);
    const plans = learnt.rewards.map((_, sample) => walker.walk(new Random('seed', 'train', 0, i, sample), null).plan);
    return { task, learnt, gradient, plans };
  }
  throw new Error('no such sample group');
}

function traced(of: Float64Array, task: TrainingTask, plan: readonly string[]): Trace {
  const walker = new Walker(of);
  const trace = new Trace();
  walker.load(task.instance);
  walker.follow(plan, trace);
  return trace;
}

const chancesOf = ({ chances }: Trace, n: number): number[] => Array.from(chances.subarray(n * moves, (n + 1) * moves));

/** The loss, written out directly. */
function loss({ task, learnt, plans }: Taught): number {
  const { rewards } = learnt;
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  let sum = 0;
  plans.forEach((plan, sample) => {
    const reward = rewards[sample] as number;
    const trace = traced(weights, task, plan);
    for (let n = 0; n < trace.count; n++) {
      const chances = chancesOf(trace, n);
      const taken = chances[trace.taken[n] as number] as number;
      const entropy = chances.reduce((all, chance) => all - chance * Math.log(chance), 0);
      const error = (trace.values[n] as number) - reward;
      sum += -(reward - mean) * Math.log(taken) - defaults.entropy * entropy + (defaults.value * error ** 2) / 2;
    }
  });
  return sum;
}

function slopeAt(i: number, taught: Taught): number {
  const step = 1e-6;
  const held = weights[i] as number;
  weights[i] = held + step;
  const above = loss(taught);
  weights[i] = held - step;
  const below = loss(taught);
  weights[i] = held;
  return (above - below) / (2 * step);
}

describe('the gradient of a sample group', () => {
  it.each([
    ['with different rewards', rewardsDiffer],
    ['with only failures', (rewards: readonly number[]) => rewards.every((reward) => reward === 0)],
  ])('%s is the slope of the loss', async (_, fits) => {
    const taught = await taughtWhere(fits);
    const touched = [...taught.gradient.keys()].filter((i) => taught.gradient[i] !== 0);
    const random = new Random('learner', 'weights');
    for (let tried = 0; tried < tries(150); tried++) {
      const i = touched[random.below(touched.length)] as number;
      expect(Math.abs(slopeAt(i, taught) - (taught.gradient[i] as number))).toBeLessThan(1e-5);
    }
  });

  it('of equal, successful plans trains the value only, not the moves', async () => {
    const { gradient } = await taughtWhere((rewards) => (rewards[0] as number) > 0 && !rewardsDiffer(rewards), 2);
    const outputs = moves + 1;
    const begin = weightCount - (hidden + 1) * outputs;
    const touched = [...gradient.keys()].filter((i) => gradient[i] !== 0);
    expect(touched.length).toBeGreaterThan(0);
    // In each row of the last layer the value comes last.
    for (const i of touched) expect(i >= begin && (i - begin) % outputs === moves).toBe(true);
  });

  it('reports the divergence from the reference policy, step by step', async () => {
    const { task, learnt, plans } = await taughtWhere(rewardsDiffer);
    const plan = plans[0] as readonly string[];
    const [now, former] = [traced(weights, task, plan), traced(reference, task, plan)];
    let sum = 0;
    for (let n = 0; n < now.count; n++) {
      const before = chancesOf(former, n);
      chancesOf(now, n).forEach((chance, move) => {
        sum += chance * Math.log(chance / (before[move] as number));
      });
    }
    expect(learnt.kl).toBeGreaterThan(0);
    expect(learnt.kl).toBeCloseTo(sum / now.count, 10);
  });
});

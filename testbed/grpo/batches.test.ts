import { expect, it } from 'vitest';
import { canonicalJson } from '../../schemas/canonical.ts';
import { rolloutRecorded } from '../../schemas/evidence.ts';
import { parseJson } from '../../schemas/json-text.ts';
import { Random } from '../../src/lab/random.ts';
import type { LakeConfiguration } from '../lake/configuration.ts';
import { generate } from '../lake/generator/generate.ts';
import { Solver } from '../lake/solver/solver.ts';
import { taskOf, verdictOn } from '../lake/tasks.ts';
import { freshWeights } from '../neural/network.ts';
import { Walker } from '../neural/walk.ts';
import { rewardOf, rolloutsOf } from './batches.ts';
import { configured } from './testing/configured.ts';

const knobs = { data: 0.5, hole: 0.1, wait: 0 };
const common = { environment: 'lake', split: 'train', policy: 'a "policy"', seed: '7' } as const;

it('a training rollout is canonical JSON, matches its event schema, and is judged as by the environment', () => {
  const configuration = configured({ 3: knobs, 4: { ...knobs, wait: 0.5 } }) as unknown as LakeConfiguration;
  const walker = new Walker(freshWeights('rollouts'));
  const solver = new Solver();
  let solved = 0;
  let place = 0;
  for (const made of generate(configuration, 60, { split: 'train', seed: 'rollouts' })) {
    walker.load(made.instance);
    const walks = Array.from({ length: 8 }, (_, sample) => walker.walk(new Random('rollouts', place, sample), null));
    const solution = solver.solve(made.instance);
    if (solution.solvable === true) walks.push(walker.follow(solution.plan, null));
    const familyTask = { made, instance: made.instance, cost: made.cost, family: String(made.kind.size) };
    const rewards = walks.map((_, i) => i / 3);
    const texts = rolloutsOf(common, { task: familyTask, place, update: 4, walks, rewards });
    const task = taskOf(made, 'train', place++);
    for (const [sample, text] of texts.entries()) {
      const data = parseJson(text) as Record<string, unknown>;
      expect(canonicalJson(data)).toBe(text);
      expect(rolloutRecorded.versions[0].safeParse(data).error).toBeUndefined();
      const { outcome, success, failures, metrics, understood } = verdictOn({ task, answer: data['answer'] }, solver);
      const { cost, optimal, steps, waits } = metrics;
      const measured = success ? { cost, optimal, steps, waits } : { optimal, steps, waits };
      const entropy = (walks[sample]?.entropy ?? 0) / Math.max(1, walks[sample]?.agentSteps ?? 0);
      expect(data).toMatchObject({ outcome, success, answer: understood, reward: sample / 3, sample, trainingStep: 5 });
      expect(data['metrics']).toEqual({ ...measured, entropy });
      expect(data['failures'] ?? []).toEqual(failures.map(({ message: _, ...brief }) => brief));
      if (success) solved += 1;
    }
  }
  expect(solved).toBeGreaterThanOrEqual(60);
});

it.each([
  ['earns 1', 12, false, {}, 1],
  ['earns the bonus if it is optimal', 12, true, { bonus: 0.5 }, 1.5],
  ['pays for its steps', 12, false, { stepPenalty: 0.05 }, 0.4],
  ['pays for its steps, not from the bonus', 12, true, { stepPenalty: 0.05, bonus: 0.5 }, 0.9],
  ['earns 0.1 however long it is', 500, false, { stepPenalty: 0.05 }, 0.1],
])('a valid plan %s; a failed one earns nothing', (_, cost, isOptimal, settings, reward) => {
  const metrics = { cost, optimal: Number(isOptimal) };
  expect(rewardOf({ success: true, metrics }, settings)).toBeCloseTo(reward, 12);
  expect(rewardOf({ success: false, metrics: {} }, settings)).toBe(0);
});

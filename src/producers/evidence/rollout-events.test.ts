import { expect, it } from 'vitest';
import { checkEvent } from '../../../schemas/catalogue.ts';
import { coin, heads, tails } from '../../lab/evaluation/testing/stubs.ts';
import type { Planned } from '../../lab/policies/policy.ts';
import { RolloutEvents } from './rollout-events.ts';

const provenance = {
  run: 'any',
  stage: 1,
  environment: 'coins',
  split: 'probe',
  policy: { component: { name: 'tosser' }, checkpoint: { reference: '/trained/update-7' } },
  actor: 'producer/rollouts',
  now: () => '2026-07-01T12:00:00Z',
} as const;

it("a rollout of an environment that runs the policy has the environment's report", () => {
  const report = { prompt: 'heads?', completion: 'heads!', stopReason: 'stop', tokens: { input: 2, output: 1 } };
  const planned: Planned = { task: coin(1), sample: 0, answer: 'heads!', agentSteps: 1, report };
  const [rollout, failure] = new RolloutEvents(provenance, 0).of({ planned, verdict: tails() })(0);
  expect(rollout?.data).toMatchObject({
    prompt: { text: 'heads?' },
    completion: { text: 'heads!' },
    stopReason: 'stop',
    tokens: { input: 2, output: 1 },
    agentSteps: 1,
    checkpoint: '/trained/update-7',
  });
  for (const event of [rollout, failure]) expect(checkEvent('evidence-any-1-0-0', event)).toEqual([]);
});

it('a rollout without a report has none of its fields', () => {
  const [rollout] = new RolloutEvents(provenance, 0).of({
    planned: { task: coin(1), sample: 0, answer: 1 },
    verdict: heads,
  })(0);
  for (const field of ['prompt', 'completion', 'stopReason', 'tokens']) expect(rollout?.data).not.toHaveProperty(field);
});

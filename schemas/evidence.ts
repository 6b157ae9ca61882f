// The evidence: what the policy did in each rollout, and how it failed. It is general enough for any environment; data that
// only one environment understands goes into `details`.
import { z } from 'zod';
import { instance } from './environment.ts';
import { eventType } from './family.ts';
import { cost, source } from './parts.ts';
import { count, details, digest, json, measured, name, score, scores, text, uuid, wideInteger } from './primitives.ts';

export const split = z
  .enum(['train', 'probe', 'probe-holdout', 'validation', 'test'])
  .describe(
    'probe and probe-holdout: the probe pool shown to engineers and its hidden part; test: benchmarks, never shown',
  );

const tokens = z.strictObject({
  input: count.optional(),
  output: count.optional(),
  reasoning: count.describe('the part of output that is hidden reasoning').optional(),
  cached: count.describe('the part of input that was cached').optional(),
});

const typedDetails = z
  .strictObject({ kind: name.describe('the kind of content: lake/plan'), content: details })
  .describe('content that only one environment understands');

const failure = z.strictObject({
  class: name,
  step: count.describe('the step of the failure, from 1').optional(),
  message: z.string().optional(),
  details: details.describe('where exactly: agents, cell, line').optional(),
});

const rolloutFields = {
  environment: name,
  task: instance.optional(),
  split,
  family: name.describe('the task family; in the lake the map size').optional(),
  sample: count.describe('index of the attempt at the same task, from 0').optional(),
  trainingStep: count.describe('the trainer update at which it was sampled').optional(),
  policy: name,
  checkpoint: name.describe('the checkpoint: its digest if known').optional(),
  prompt: text.optional(),
  completion: text.optional(),
  reasoning: text.describe('the reasoning text, separate from the answer').optional(),
  transcript: text.describe('the whole exchange as JSON, if it took several turns').optional(),
  modelAnswer: digest.describe('the raw answer is in the stream answer-<digest>').optional(),
  answer: json.describe('the parsed answer that was judged').optional(),
  expected: json.describe('the expected answer, if there is one').optional(),
  outcome: name.describe('the outcome, in the terms of the environment: valid, hole, scored'),
  success: z.boolean().describe('whether it counts as solved').optional(),
  failureClass: name.describe('the failure class').optional(),
  failures: z
    .array(failure)
    .min(1)
    .describe('in order, unless a FailureRecorded follows; the first one is the failure class of the rollout')
    .optional(),
  stopReason: name.describe('why the policy stopped: stop, length, horizon').optional(),
  truncated: z.boolean().describe('whether the answer was cut off').optional(),
  error: z
    .strictObject({ kind: name, message: z.string() })
    .describe('an infrastructure fault that invalidated the rollout')
    .optional(),
  reward: score.optional(),
  rewards: scores.describe('the components of the reward').optional(),
  weights: z.record(name, z.number()).describe('the weight of each of `rewards` (default 1)').optional(),
  metrics: scores.describe('other metrics: cost, optimal, waits, entropy').optional(),
  agentSteps: count.describe('number of actions the agents took').optional(),
  tokens: tokens.optional(),
  cost: cost.optional(),
  seed: wideInteger.optional(),
  details: typedDetails.optional(),
  source: source.optional(),
  measured: measured.optional(),
} as const;

export const rolloutRecorded = eventType({
  type: 'RolloutRecorded',
  code: 20,
  in: ['evidence'],
  stage: 'always',
  summary: 'A policy attempted one task once: the answer, outcome and reward.',
  data: z.strictObject(rolloutFields),
});

const { environment: _, split: __, policy: ___, ...ofTraining } = rolloutFields;

/** The fields of a rollout that a trainer reports; the recorder adds the others. */
export const trainingRollout = z.strictObject(ofTraining);

export const failureRecorded = eventType({
  type: 'FailureRecorded',
  code: 21,
  in: ['evidence'],
  stage: 'always',
  summary: 'The failures of a rollout.',
  data: z.strictObject({
    rollout: uuid.describe('the RolloutRecorded'),
    environment: name,
    task: digest.describe('the digest of its task').optional(),
    split,
    family: name.optional(),
    policy: name.optional(),
    failures: z.array(failure).min(1).describe('in order; the first one is the failure class of the rollout'),
    classifier: name.describe('the classifier of failures, with its version').optional(),
    measured: measured.optional(),
  }),
});

// The evidence: what the policy did, rollout by rollout, and how it failed. General enough for any environment: what only
// one of them understands goes into `details`.
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
  .strictObject({ kind: name.describe('what the content is: lake/plan'), content: details })
  .describe('what only one environment understands');

const failure = z.strictObject({
  class: name,
  step: count.describe('the step it happened at, from 1').optional(),
  message: z.string().optional(),
  details: details.describe('where exactly: agents, cell, line').optional(),
});

const rolloutFields = {
  environment: name,
  task: instance.optional(),
  split,
  family: name.describe('the set of knobs the task belongs to; in the lake its size').optional(),
  sample: count.describe('which try at the same task, from 0').optional(),
  trainingStep: count.describe('the update of the trainer it was sampled at').optional(),
  policy: name,
  checkpoint: name.describe('the snapshot: its digest where it has one').optional(),
  prompt: text.optional(),
  completion: text.optional(),
  reasoning: text.describe('what the model thought aloud, kept apart from its answer').optional(),
  transcript: text.describe('the whole exchange as JSON, where it took several turns').optional(),
  modelAnswer: digest.describe('the raw answer stands in the stream answer-<this>').optional(),
  answer: json.describe('the answer that was judged, as it was understood').optional(),
  expected: json.describe('the answer that was asked for, where there is one').optional(),
  outcome: name.describe('what became of it, in the words of the environment: valid, hole, scored'),
  success: z.boolean().describe('whether it counts as solved').optional(),
  failureClass: name.describe('the way it failed').optional(),
  failures: z
    .array(failure)
    .min(1)
    .describe('in the order they happened, where no FailureRecorded follows it; the first names the rollout')
    .optional(),
  stopReason: name.describe('why the policy stopped: stop, length, horizon').optional(),
  truncated: z.boolean().describe('whether the answer was cut').optional(),
  error: z
    .strictObject({ kind: name, message: z.string() })
    .describe('the fault that spoilt it, where it was not the policy')
    .optional(),
  reward: score.optional(),
  rewards: scores.describe('the rewards it is made of').optional(),
  weights: z.record(name, z.number()).describe('the weight of each of `rewards`; 1 where absent').optional(),
  metrics: scores.describe('what else was measured: cost, optimal, waits, entropy').optional(),
  agentSteps: count.describe('how many actions the agents took').optional(),
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
  summary: 'A policy tried one task once, and this is what became of it.',
  data: z.strictObject(rolloutFields),
});

const { environment: _, split: __, policy: ___, ...ofTraining } = rolloutFields;

/** What a trainer tells of a rollout: who records it knows the rest. */
export const trainingRollout = z.strictObject(ofTraining);

export const failureRecorded = eventType({
  type: 'FailureRecorded',
  code: 21,
  in: ['evidence'],
  stage: 'always',
  summary: 'A rollout failed, in these ways.',
  data: z.strictObject({
    rollout: uuid.describe('the RolloutRecorded'),
    environment: name,
    task: digest.describe('the digest of its task').optional(),
    split,
    family: name.optional(),
    policy: name.optional(),
    failures: z.array(failure).min(1).describe('in the order they happened; the first names the rollout'),
    classifier: name.describe('what told the classes apart, with its version').optional(),
    measured: measured.optional(),
  }),
});

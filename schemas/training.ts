// Results of training, and evaluations of the policy on a suite.
import { z } from 'zod';
import { split } from './evidence.ts';
import { eventType } from './family.ts';
import { alert, checkpoint, component, familyMeasurement, measurement, source, suite } from './parts.ts';
import {
  amounts,
  count,
  details,
  digest,
  measured,
  name,
  scalar,
  score,
  scores,
  share,
  text,
  wideInteger,
} from './primitives.ts';

const point = z
  .strictObject({
    step: count.describe('the trainer update'),
    spent: amounts.describe('by unit, so far: agent-steps, tokens').optional(),
    values: scores.describe('reward, valid, entropy, kl'),
  })
  .describe('a point of the curve');

const signal = z
  .strictObject({
    family: name.nullable().describe('null: all families'),
    sampleGroups: count.describe('number of sample groups'),
    withVariance: count.describe('number of sample groups whose rewards differ'),
    share: score.describe('withVariance divided by sampleGroups'),
    entropy: score.optional(),
    kl: score.optional(),
  })
  .describe('the learning signal');

const sampled = z
  .strictObject({ family: name, tasks: count, share })
  .describe('the task mixture that the trainer actually sampled, which may differ from the configured one');

/** The content of a training, in the loop and in an ablation. */
export const trainingFields = {
  trainer: component.optional(),
  policy: component.optional(),
  from: checkpoint.nullable().describe('the checkpoint it started from; null: from scratch').optional(),
  checkpoint: checkpoint.nullable().describe('the checkpoint after it; null: none').optional(),
  configuration: digest.describe('the digest of the configuration it trained on').optional(),
  seed: wideInteger.optional(),
  budget: amounts.describe('the training budget by unit: agent-steps, updates').optional(),
  spent: amounts.describe('the actual spending by unit').optional(),
  part: count.describe('the index of the part, from 0, if one training is recorded in several parts').optional(),
  curve: z.array(point).optional(),
  learningSignal: z.array(signal).optional(),
  sampled: z.array(sampled).optional(),
  results: scores.describe('figures of the training as a whole').optional(),
  alerts: z.array(alert).optional(),
  exit: z
    .strictObject({ code: z.int().nullable(), signal: name.nullable() })
    .describe('how the training program ended')
    .optional(),
  log: text.describe('the output of the program').optional(),
  source: source.optional(),
  measured: measured.optional(),
} as const;

const cell = z
  .strictObject({
    family: name.nullable(),
    conditions: z
      .record(name, scalar)
      .describe('other conditions that define the cell: {"agents": 3, "wait": 0.25}')
      .optional(),
    rollouts: count,
    results: z.array(measurement),
  })
  .describe('a cell of the suite');

/** The content of an evaluation, in the loop and in an ablation. */
export const evaluationFields = {
  suite,
  split,
  policy: component.optional(),
  checkpoint: checkpoint.nullable().describe('null: an untrained policy').optional(),
  seed: wideInteger.optional(),
  samples: count.describe('attempts per task').optional(),
  decoding: details.describe('how answers were sampled: temperature, limits').optional(),
  rollouts: count,
  results: z.array(familyMeasurement).describe('by family, and with family null for the whole suite'),
  cells: z.array(cell).optional(),
  failures: z
    .array(z.strictObject({ family: name.nullable(), class: name, count }))
    .describe('the counts of failures by class')
    .optional(),
  interval: z
    .strictObject({ method: name.describe('wilson'), level: share })
    .describe('the method and level of `low` and `high`')
    .optional(),
  alerts: z.array(alert).optional(),
  source: source.optional(),
  measured: measured.optional(),
} as const;

export const trainingRecorded = eventType({
  type: 'TrainingRecorded',
  code: 80,
  in: ['run'],
  stage: 'always',
  summary: 'The policy was trained.',
  data: z.strictObject(trainingFields),
});

export const evaluationRecorded = eventType({
  type: 'EvaluationRecorded',
  code: 81,
  in: ['run'],
  stage: 'maybe',
  summary: 'The policy was evaluated on a suite.',
  data: z.strictObject(evaluationFields),
});

// What training did to the policy, and how good it is on a suite.
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
    step: count.describe('the update of the trainer'),
    spent: amounts.describe('by unit, so far: agent-steps, tokens').optional(),
    values: scores.describe('reward, valid, entropy, kl'),
  })
  .describe('one point of the curve');

const signal = z
  .strictObject({
    family: name.nullable().describe('null: of all families'),
    sampleGroups: count.describe('how many sample groups were compared'),
    withVariance: count.describe('in how many of them rewards differed'),
    share: score.describe('the second by the first: what there is to learn from'),
    entropy: score.optional(),
    kl: score.optional(),
  })
  .describe('how much there was to learn');

const sampled = z
  .strictObject({ family: name, tasks: count, share })
  .describe('what the trainer really drew, which need not be what was asked for');

/** The content of a training, of the loop's and of an ablation's arm. */
export const trainingFields = {
  trainer: component.optional(),
  policy: component.optional(),
  from: checkpoint.nullable().describe('what it started from; null: from nothing').optional(),
  checkpoint: checkpoint.nullable().describe('what it leaves behind; null where it left none').optional(),
  configuration: digest.describe('the digest of the configuration it trained on').optional(),
  seed: wideInteger.optional(),
  budget: amounts.describe('what it was given, by unit: agent-steps, updates').optional(),
  spent: amounts.describe('what it took').optional(),
  part: count.describe('where one training is recorded in several parts: which, from 0').optional(),
  curve: z.array(point).optional(),
  learningSignal: z.array(signal).optional(),
  sampled: z.array(sampled).optional(),
  results: scores.describe('figures of the training as a whole').optional(),
  alerts: z.array(alert).optional(),
  exit: z
    .strictObject({ code: z.int().nullable(), signal: name.nullable() })
    .describe('how the program that trained ended')
    .optional(),
  log: text.describe('what the program said').optional(),
  source: source.optional(),
  measured: measured.optional(),
} as const;

const cell = z
  .strictObject({
    family: name.nullable(),
    conditions: z.record(name, scalar).describe('what else tells cells apart: {"agents": 3, "wait": 0.25}').optional(),
    rollouts: count,
    results: z.array(measurement),
  })
  .describe('one cell of the suite');

/** The content of an evaluation, of the loop's and of an ablation's arm. */
export const evaluationFields = {
  suite,
  split,
  policy: component.optional(),
  checkpoint: checkpoint.nullable().describe('null: a policy that is not trained').optional(),
  seed: wideInteger.optional(),
  samples: count.describe('tries per task').optional(),
  decoding: details.describe('how answers were drawn: temperature, limits').optional(),
  rollouts: count,
  results: z.array(familyMeasurement).describe('per family, and with family null pooled over the whole suite'),
  cells: z.array(cell).optional(),
  failures: z
    .array(z.strictObject({ family: name.nullable(), class: name, count }))
    .describe('how often it failed in which way')
    .optional(),
  interval: z
    .strictObject({ method: name.describe('wilson'), level: share })
    .describe('what `low` and `high` are')
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

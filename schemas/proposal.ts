// Proposals of engineers for the next stage: the whole configuration, each change with its reasons, the knobs kept on purpose,
// and predictions. Parts that the engineer left out are recorded as left out.
import { z } from 'zod';
import { duplicateNames } from './duplicate-names.ts';
import type { Issue } from './errors.ts';
import { eventType } from './family.ts';
import { answerReference, cites, configuration, cost, engineer, reason } from './parts.ts';
import { amounts, count, digest, measured, name, score, share, text, uuid } from './primitives.ts';

const family = name.nullable().describe('the family the knob belongs to; null: all families');

const change = z
  .strictObject({
    knob: name,
    family,
    from: z.number().nullable().describe('null: it had no value'),
    to: z.number(),
    cites,
    reason,
  })
  .describe('a changed knob with the reason');

const kept = z.strictObject({ knob: name, family, cites, reason }).describe('a knob kept on purpose');

const clamp = z
  .strictObject({
    knob: name,
    family,
    proposed: z.number(),
    used: z.number(),
    rule: z.enum(['range', 'step', 'shares-sum']).describe('the violated rule'),
  })
  .describe('a proposed value that was changed to an allowed one');

const prediction = z
  .strictObject({ family: name, measure: name.describe('valid'), value: share })
  .describe('the predicted rate of the current policy');

const proposalScores = z
  .strictObject({
    citation: score
      .describe(
        'citation score: the share of cited evidence that concerns the change, corrected for chance: 1 at best, 0 for ids cited at random',
      )
      .optional(),
    preservation: score.describe('preservation score: the share of working families whose knobs are kept').optional(),
    usable: score.describe('1: parsed, in range, no clamps').optional(),
    calibration: z
      .strictObject({
        brier: score,
        rankCorrelation: score,
        families: count.describe('number of families with results').optional(),
        predicted: count.describe('number of these with a prediction, on which the scores are based').optional(),
      })
      .describe('its predictions compared with results of probe-holdout')
      .optional(),
  })
  .describe('the quality of the proposal, as far as it can be measured before training');

/** The decision about the knobs, in a proposal and in its adoption. */
export const adoptionFields = {
  changes: z.array(change),
  kept: z.array(kept).nullable().describe('null: not stated'),
  clamps: z.array(clamp),
  rationale: reason.describe('the overall reasoning; null: left out'),
} as const;

export const contextReference = z
  .strictObject({
    digest: digest.describe('of the bytes of the context'),
    event: uuid.describe('the ContextRecorded').optional(),
    contextForm: name.describe('the preset or the list of modules').optional(),
    exemplars: count.describe('number of rollouts in it; absent: none').optional(),
  })
  .describe('the context that it answers');

/** The engineer and its question, in proposals and in rejections. */
const questionFields = {
  engineer,
  context: contextReference.nullable().describe('null: no context was shown'),
  answers: z.array(answerReference).describe("the model's raw answers, repairs included, in order").optional(),
  sample: count.describe('index among several proposals for the same question').optional(),
  usage: amounts.describe('tokens by kind').optional(),
  cost: cost.optional(),
  measured: measured.optional(),
} as const;

/** The content of a proposal, in the loop and in an ablation. */
export const proposalFields = {
  ...questionFields,
  configuration,
  ...adoptionFields,
  predictions: z.array(prediction).nullable().describe('null: no predictions'),
  scores: proposalScores.optional(),
} as const;

/** The content of a rejection, in the loop and in an ablation. */
export const rejectionFields = {
  ...questionFields,
  reason: z
    .enum(['empty', 'unreadable', 'invalid', 'impossible', 'refused'])
    .describe('impossible: no tasks can be generated from it; refused: the model refused to answer'),
  issues: z
    .array(z.strictObject({ field: z.string(), found: z.string(), allowed: z.string() }))
    .describe('the faults, by field'),
  raw: text.nullable().describe('the last raw answer; null: none'),
} as const;

/** The content of an errored decision, in the loop and in an ablation: there is no answer to judge. */
export const errorFields = {
  ...questionFields,
  error: z
    .strictObject({
      kind: name.describe('crashed, timeout, unavailable; for an arm also the kind of any other error'),
      message: z.string(),
    })
    .describe('the error that prevented an answer'),
  raw: text.nullable().describe('the output before the error; null: none'),
} as const;

export const proposalRecorded = eventType({
  type: 'ProposalRecorded',
  code: 60,
  in: ['run'],
  stage: 'always',
  summary: 'An engineer proposed a configuration.',
  data: z.strictObject(proposalFields),
  crossCheck: (data) => changedOnce(data),
});

export const proposalRejected = eventType({
  type: 'ProposalRejected',
  code: 61,
  in: ['run'],
  stage: 'always',
  summary: 'The answer of an engineer was not usable as a proposal.',
  data: z.strictObject(rejectionFields),
});

export const proposalErrored = eventType({
  type: 'ProposalErrored',
  code: 62,
  in: ['run'],
  stage: 'always',
  summary: 'An engineer could not answer: its program or its endpoint failed. Recorded with --on-error keep only.',
  data: z.strictObject(errorFields),
});

/** A knob may not be changed twice, or be both changed and kept. */
export function changedOnce(data: {
  readonly changes: readonly { knob: string }[];
  readonly kept: readonly { knob: string }[] | null;
}): Issue[] {
  const changed = data.changes.map(({ knob }, i) => ({ name: knob, field: `data.changes[${i}].knob` }));
  const kept = (data.kept ?? []).map(({ knob }, i) => ({ name: knob, field: `data.kept[${i}].knob` }));
  return duplicateNames([...changed, ...kept], 'each knob once, changed or kept');
}

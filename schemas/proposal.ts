// What an engineer proposes for the next stage: the whole configuration, each change with its reasons, what it keeps on
// purpose and what it expects. What it left out is recorded as left out, not invented.
import { z } from 'zod';
import type { Issue } from './errors.ts';
import { eventType } from './family.ts';
import { answerReference, cites, configuration, cost, engineer, reason } from './parts.ts';
import { amounts, count, digest, measured, name, score, share, text, uuid } from './primitives.ts';
import { namedTwice } from './sense.ts';

const family = name.nullable().describe('the family the knob belongs to; null when it concerns all of them');

const change = z
  .strictObject({
    knob: name,
    family,
    from: z.number().nullable().describe('null where it had no value'),
    to: z.number(),
    cites,
    reason,
  })
  .describe('a knob that is turned, and why');

const kept = z.strictObject({ knob: name, family, cites, reason }).describe('a knob that is kept on purpose');

const clamp = z
  .strictObject({
    knob: name,
    family,
    proposed: z.number(),
    used: z.number(),
    rule: z.enum(['range', 'step', 'shares-sum']).describe('what the proposed value broke'),
  })
  .describe('a proposed value that was moved to an allowed one');

const prediction = z
  .strictObject({ family: name, measure: name.describe('valid'), value: share })
  .describe('the rate it expects of the current policy');

const proposalScores = z
  .strictObject({
    citation: score
      .describe(
        'citation score: how much of the evidence that changes cite bears on them, corrected for chance: 1 at best, 0 for ids cited at random',
      )
      .optional(),
    preservation: score.describe('preservation score: the share of working families that are kept').optional(),
    usable: score.describe('1: parsed, in range, no clamps').optional(),
    calibration: z
      .strictObject({
        brier: score,
        rankCorrelation: score,
        families: count.describe('how many families were tried').optional(),
        predicted: count.describe('how many of them were predicted: scores are of these').optional(),
      })
      .describe('its predictions against results that were held back')
      .optional(),
  })
  .describe('how good the proposal is, as far as that can be told before it is tried');

/** What was decided about the knobs, in a proposal and in its adoption. */
export const adoptionFields = {
  changes: z.array(change),
  kept: z.array(kept).nullable().describe('null where nothing was said about what is kept'),
  clamps: z.array(clamp),
  rationale: reason.describe('the reasoning as a whole; null where it was left out'),
} as const;

export const contextReference = z
  .strictObject({
    digest: digest.describe('of the bytes the engineer was shown'),
    event: uuid.describe('the ContextRecorded').optional(),
    contextForm: name.describe('the preset or the list of modules').optional(),
    exemplars: count.describe('how many rollouts it shows; absent where it shows none').optional(),
  })
  .describe('the context it is an answer to');

/** Who was asked what, in proposals and in rejections. */
const askedFields = {
  engineer,
  context: contextReference.nullable().describe('null where none was shown'),
  answers: z.array(answerReference).describe("the model's raw answers, repairs included, in order").optional(),
  sample: count.describe('which of several proposals to the same question').optional(),
  usage: amounts.describe('tokens by kind').optional(),
  cost: cost.optional(),
  measured: measured.optional(),
} as const;

/** The content of a proposal, of the loop's and of an ablation's arm. */
export const proposalFields = {
  ...askedFields,
  configuration,
  ...adoptionFields,
  predictions: z.array(prediction).nullable().describe('null where it predicts nothing'),
  scores: proposalScores.optional(),
} as const;

/** The content of a rejection, of the loop's and of an ablation's arm. */
export const rejectionFields = {
  ...askedFields,
  reason: z
    .enum(['empty', 'unreadable', 'invalid', 'impossible', 'refused'])
    .describe('impossible: nothing can be generated from it; refused: the model would not answer'),
  issues: z
    .array(z.strictObject({ field: z.string(), found: z.string(), allowed: z.string() }))
    .describe('what was wrong with it, field by field'),
  raw: text.nullable().describe('the last raw answer; null where none came'),
} as const;

/** The content of an errored decision, of the loop's and of an ablation's arm: there is no answer that could be judged. */
export const errorFields = {
  ...askedFields,
  error: z
    .strictObject({
      kind: name.describe('crashed, timeout, unavailable; of an arm also the kind of any other error'),
      message: z.string(),
    })
    .describe('what kept the engineer from answering'),
  raw: text.nullable().describe('what it said before the error; null where nothing came'),
} as const;

export const proposalRecorded = eventType({
  type: 'ProposalRecorded',
  code: 60,
  in: ['run'],
  stage: 'always',
  summary: 'An engineer proposed a configuration.',
  data: z.strictObject(proposalFields),
  sense: (data) => changedOnce(data),
});

export const proposalRejected = eventType({
  type: 'ProposalRejected',
  code: 61,
  in: ['run'],
  stage: 'always',
  summary: 'What an engineer answered could not be used as a proposal.',
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

/** A knob that changes twice, or changes and is kept, says two things at once. */
export function changedOnce(data: {
  readonly changes: readonly { knob: string }[];
  readonly kept: readonly { knob: string }[] | null;
}): Issue[] {
  const changed = data.changes.map(({ knob }, i) => ({ name: knob, field: `data.changes[${i}].knob` }));
  const kept = (data.kept ?? []).map(({ knob }, i) => ({ name: knob, field: `data.kept[${i}].knob` }));
  return namedTwice([...changed, ...kept], 'each knob once, changed or kept');
}

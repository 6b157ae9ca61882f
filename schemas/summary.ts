// Summaries of the evidence of a stage, and the context an engineer is shown. Every citable item has an evidence id, and the
// recorded context lists the events that each evidence id refers to.
import { z } from 'zod';
import { split } from './evidence.ts';
import { eventType } from './family.ts';
import { alert, answerReference, form } from './parts.ts';
import { count, details, digest, evidenceId, measured, name, score, stream, text, uuid } from './primitives.ts';

const fact = z
  .strictObject({
    evidenceId,
    family: name.nullable().describe('null: all families'),
    measure: name.describe('valid, holes, waits, failures'),
    about: name.describe('the failure class, agent or knob that it concerns').optional(),
    value: score,
    count: count.describe('the numerator of a rate').optional(),
    of: count.describe('the denominator of a rate').optional(),
    low: z.number().describe('the lower end of its interval').optional(),
    high: z.number().describe('the upper end of its interval').optional(),
  })
  .describe('a citable figure');

const exemplar = z
  .strictObject({
    evidenceId,
    rollout: uuid.describe('the RolloutRecorded'),
    failure: uuid.describe('the FailureRecorded').optional(),
    family: name.nullable(),
    class: name.optional(),
    drawing: z.string().describe('as the engineer sees it').optional(),
    description: z.string().optional(),
  })
  .describe('an exemplar: one rollout that represents many');

export const summaryRecorded = eventType({
  type: 'SummaryRecorded',
  code: 40,
  in: ['run', 'ablation'],
  stage: 'always',
  summary: 'The evidence of a stage summarized for one context module.',
  data: z.strictObject({
    module: name.describe('failures, stats, behaviour, training, self-summary'),
    version: name.describe('the version of the summarizing code').optional(),
    parameters: details.describe('its settings, such as the number of exemplars').optional(),
    splits: z.array(split).describe('the evidence it is made from').optional(),
    rollouts: count.describe('number of rollouts it is made from').optional(),
    facts: z.array(fact),
    exemplars: z.array(exemplar),
    text: text.nullable().describe('the text for engineers'),
    answer: answerReference.describe('the model answer that a self-summary comes from').optional(),
    alerts: z.array(alert).optional(),
    measured: measured.optional(),
  }),
});

export const contextRecorded = eventType({
  type: 'ContextRecorded',
  code: 41,
  in: ['run', 'ablation'],
  stage: 'always',
  summary: 'A context for an engineer, built only from history up to a point.',
  data: z.strictObject({
    contextForm: form,
    digest: digest.describe('of its bytes in UTF-8'),
    text: text.describe('its bytes'),
    builder: name.describe('the builder with its version').optional(),
    history: z
      .array(z.strictObject({ stream, revision: count.describe('the last event that was used') }))
      .describe('the history it was built from: that of the run, and for a fork that of its parents'),
    evidenceIds: z
      .record(
        evidenceId,
        z.strictObject({
          module: name,
          events: z.array(uuid).describe('the summary, rollouts or failures it refers to'),
          family: name.nullable(),
        }),
      )
      .describe('the citable items by evidence id'),
    modules: z
      .array(z.strictObject({ module: name, tokens: count }))
      .describe('the tokens of each module')
      .optional(),
    tokenizer: name.describe('the tokenizer that counted'),
    tokens: count.describe('the length in tokens'),
    budget: count.describe('the maximum length in tokens; 0: no limit'),
    truncated: z
      .array(z.strictObject({ module: name, what: name, kept: count, dropped: count }))
      .describe('what was truncated'),
    exemplars: z
      .strictObject({
        shown: count,
        of: count.describe('the number shown by every form of this budget that has room for them'),
      })
      .describe('number of rollouts in it; forms with different numbers differ in more than their modules')
      .optional(),
    without: z.array(evidenceId).describe('items left out on purpose, to measure their effect').optional(),
    measured: measured.optional(),
  }),
});

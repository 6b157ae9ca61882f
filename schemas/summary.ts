// What the evidence of a stage adds up to, and what an engineer is shown of it. Every citable item has an evidence id, and the
// recorded context says which events an evidence id stands for.
import { z } from 'zod';
import { split } from './evidence.ts';
import { eventType } from './family.ts';
import { alert, answerReference, form } from './parts.ts';
import { count, details, digest, evidenceId, measured, name, score, stream, text, uuid } from './primitives.ts';

const fact = z
  .strictObject({
    evidenceId,
    family: name.nullable().describe('null: of all families'),
    measure: name.describe('valid, holes, waits, failures'),
    about: name.describe('the failure class, agent or knob it is about').optional(),
    value: score,
    count: count.describe('how many had it').optional(),
    of: count.describe('out of how many').optional(),
    low: z.number().describe('the lower end of its interval').optional(),
    high: z.number().describe('the upper end of its interval').optional(),
  })
  .describe('one figure that can be cited');

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
  .describe('one rollout that stands for many');

export const summaryRecorded = eventType({
  type: 'SummaryRecorded',
  code: 40,
  in: ['run', 'ablation'],
  stage: 'always',
  summary: 'The evidence of a stage added up for one context module.',
  data: z.strictObject({
    module: name.describe('failures, stats, behaviour, training, self-summary'),
    version: name.describe('of the code that adds up').optional(),
    parameters: details.describe('how it was set: how many exemplars').optional(),
    splits: z.array(split).describe('the evidence it is made from').optional(),
    rollouts: count.describe('how many rollouts it is made from').optional(),
    facts: z.array(fact),
    exemplars: z.array(exemplar),
    text: text.nullable().describe('as an engineer reads it'),
    answer: answerReference.describe('the model call a self-summary comes from').optional(),
    alerts: z.array(alert).optional(),
    measured: measured.optional(),
  }),
});

export const contextRecorded = eventType({
  type: 'ContextRecorded',
  code: 41,
  in: ['run', 'ablation'],
  stage: 'always',
  summary: 'What an engineer is shown: built from history up to a point and from nothing else.',
  data: z.strictObject({
    contextForm: form,
    digest: digest.describe('of its bytes in UTF-8'),
    text: text.describe('its bytes'),
    builder: name.describe('what built it, with its version').optional(),
    history: z
      .array(z.strictObject({ stream, revision: count.describe('the last event it knows of') }))
      .describe("the history it was built from: the run's, and for a fork its parents'"),
    evidenceIds: z
      .record(
        evidenceId,
        z.strictObject({
          module: name,
          events: z.array(uuid).describe('the summary, the rollouts, the failures it stands for'),
          family: name.nullable(),
        }),
      )
      .describe('what may be cited, by evidence id'),
    modules: z
      .array(z.strictObject({ module: name, tokens: count }))
      .describe('how much of it each module takes')
      .optional(),
    tokenizer: name.describe('the tokenizer that counted'),
    tokens: count.describe('how long it is'),
    budget: count.describe('how long it might have been; 0: no limit'),
    truncated: z
      .array(z.strictObject({ module: name, what: name, kept: count, dropped: count }))
      .describe('what was left out for want of room'),
    exemplars: z
      .strictObject({
        shown: count,
        of: count.describe('as many as every form of this budget shows that has room for them'),
      })
      .describe('how many rollouts it shows; a form that shows fewer is not compared by its modules alone')
      .optional(),
    without: z.array(evidenceId).describe('items left out on purpose, to see what they change').optional(),
    measured: measured.optional(),
  }),
});

// The record of a paid answer, written the moment it arrives and never asked for again. Its stream is named after the
// question, so that it is found in every store.
import { z } from 'zod';
import { eventType } from './family.ts';
import { cost } from './parts.ts';
import { amounts, count, details, digest, measured, name, text } from './primitives.ts';

export const modelAnswered = eventType({
  type: 'ModelAnswered',
  code: 140,
  in: ['answer'],
  stage: 'maybe',
  summary: 'A model answered.',
  data: z.strictObject({
    key: digest.describe('of context, model, parameters and sample: the name of the stream'),
    model: z.strictObject({
      name: name.describe('as it was asked for'),
      endpoint: name.describe('the entry of the configuration file; never a secret').optional(),
      checkpoint: name.describe('the snapshot that was served').optional(),
      reported: name.describe('what the endpoint says it was').optional(),
    }),
    parameters: details.describe('temperature, limits, answer format'),
    context: digest.describe('of what it was asked'),
    sample: count.describe('which of several answers to the same question, from 0'),
    purpose: name.describe('proposal, repair, self-summary, plan').optional(),
    prompt: text.describe('what it was asked').optional(),
    answer: text.nullable().describe('what it said; null where it would not'),
    reasoning: text.describe('what it thought aloud, kept apart').optional(),
    finishReason: name.describe('why it stopped: stop, length, refusal'),
    usage: amounts.describe('tokens by kind, as the endpoint counts them').optional(),
    cost: cost.optional(),
    measured: measured.optional(),
  }),
  sense: ({ key }, { stream }) =>
    stream.category === 'answer' && stream.digest !== key
      ? [{ field: 'data.key', found: `"${key}"`, allowed: `"${stream.digest}", the name of the stream` }]
      : [],
});

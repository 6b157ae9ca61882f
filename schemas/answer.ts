// The record of a paid model answer, written when it arrives, so that the same question is not asked again. Its stream is
// named after the question, so that it can be found in every store.
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
    key: digest.describe('of context, model, parameters and sample; part of the name of the stream'),
    model: z.strictObject({
      name: name.describe('the requested model'),
      endpoint: name.describe('the entry of the configuration file; never a secret').optional(),
      checkpoint: name.describe('the checkpoint that was served').optional(),
      reported: name.describe('the model as the endpoint reports it').optional(),
    }),
    parameters: details.describe('temperature, limits, answer format'),
    context: digest.describe('of the context in the question'),
    sample: count.describe('index among several answers to the same question, from 0'),
    purpose: name.describe('proposal, repair, self-summary, plan').optional(),
    prompt: text.describe('the question').optional(),
    answer: text.nullable().describe('the answer; null: it refused'),
    reasoning: text.describe('the reasoning text, separate from the answer').optional(),
    finishReason: name.describe('why the model stopped: stop, length, refusal'),
    usage: amounts.describe('tokens by kind, as the endpoint counts them').optional(),
    cost: cost.optional(),
    measured: measured.optional(),
  }),
  crossCheck: ({ key }, { stream }) =>
    stream.category === 'answer' && stream.digest !== key
      ? [{ field: 'data.key', found: `"${key}"`, allowed: `"${stream.digest}", the name of the stream` }]
      : [],
});

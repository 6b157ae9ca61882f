// What `models` in icecore.config.json holds: endpoints that speak OpenAI's chat protocol, each under a name of its own.
// No secret stands there: keys are named by the environment variable that has them.
import { z } from 'zod';
import { details, name } from './primitives.ts';

const price = z.number().nonnegative();
const seconds = z.number().positive().max(86_400);

const modelPrices = z
  .strictObject({
    input: price.describe('of a million tokens it is asked with'),
    output: price.describe('of a million tokens it answers with, its thoughts included'),
    cached: price.describe('of a million tokens it had read before; as `input` where it is absent').optional(),
    currency: name.describe('USD unless told otherwise').optional(),
  })
  .describe('what it costs; 0 where it costs nothing');

const modelEntry = z.strictObject({
  url: z.string().describe('where /chat/completions begins: http://localhost:8000/v1'),
  model: name.describe(
    'as the endpoint calls it; {checkpoint} stands for the snapshot that is asked: lora-{checkpoint}',
  ),
  base: name.describe('beside a {checkpoint}: the model to ask where there is no checkpoint yet').optional(),
  key: z.string().describe('the environment variable that has the key; none where the endpoint wants none').optional(),
  prices: modelPrices.optional(),
  parameters: details.describe('sent with every request: temperature, max_tokens, reasoning_effort').optional(),
  greedy: details
    .describe('sent on top of them for the best answer; {"temperature": 0} unless told otherwise')
    .optional(),
  seeds: z.boolean().describe('whether the endpoint takes a `seed`; false unless told otherwise').optional(),
  schemas: z
    .boolean()
    .describe('whether the endpoint takes a JSON schema for its answer; false unless told otherwise')
    .optional(),
  stream: z.boolean().describe('whether to have the answer piece by piece; false unless told otherwise').optional(),
  concurrency: z.int().min(1).max(1024).describe('so many requests at a time; 8 unless told otherwise').optional(),
  timeout: z
    .strictObject({
      connect: seconds.describe('until there is a connection; 10 unless told otherwise').optional(),
      firstByte: seconds.describe('until the answer begins; as `whole` unless told otherwise').optional(),
      whole: seconds.describe('until the answer is there; 600 unless told otherwise').optional(),
    })
    .describe('how long to wait, in seconds')
    .optional(),
  tokensPerMinute: z.int().min(1).describe('as many as the endpoint allows, there and back').optional(),
});

export const modelEntries = z.record(name, modelEntry);

/** The entries as they stand in the file. */
export type ModelEntries = z.infer<typeof modelEntries>;

// The `models` in icecore.config.json: endpoints of OpenAI's chat protocol by name. It contains no secrets: a key is named by
// the environment variable that holds it.
import { z } from 'zod';
import { details, name } from './primitives.ts';

const price = z.number().nonnegative();
const seconds = z.number().positive().max(86_400);

const modelPrices = z
  .strictObject({
    input: price.describe('price of a million input tokens'),
    output: price.describe('price of a million output tokens, including reasoning'),
    cached: price.describe('price of a million cached input tokens (default: `input`)').optional(),
    currency: name.describe('the currency (default USD)').optional(),
  })
  .describe('the prices; 0: free');

const modelEntry = z.strictObject({
  url: z.string().describe('the base URL of /chat/completions: http://localhost:8000/v1'),
  model: name.describe(
    'the model name that the endpoint expects; {checkpoint} is replaced by the current checkpoint: lora-{checkpoint}',
  ),
  base: name.describe('with {checkpoint}: the model to ask before there is a checkpoint').optional(),
  key: z.string().describe('the environment variable that holds the key; absent: the endpoint needs none').optional(),
  prices: modelPrices.optional(),
  parameters: details.describe('sent with every request: temperature, max_tokens, reasoning_effort').optional(),
  greedy: details.describe('sent in addition for the best answer (default {"temperature": 0})').optional(),
  seeds: z.boolean().describe('whether the endpoint accepts a `seed` (default false)').optional(),
  schemas: z.boolean().describe('whether the endpoint accepts a JSON schema for its answer (default false)').optional(),
  stream: z.boolean().describe('whether to stream the answer (default false)').optional(),
  concurrency: z.int().min(1).max(1024).describe('maximum number of concurrent requests (default 8)').optional(),
  timeout: z
    .strictObject({
      connect: seconds.describe('until a connection is established (default 10)').optional(),
      firstByte: seconds.describe('until the answer begins (default: `whole`)').optional(),
      whole: seconds.describe('until the answer is complete (default 600)').optional(),
    })
    .describe('timeouts in seconds')
    .optional(),
  tokensPerMinute: z.int().min(1).describe('the rate limit of the endpoint, input and output together').optional(),
  serve: z
    .strictObject({
      path: name
        .describe('where the server loads an adapter, relative to `url` (default `load_lora_adapter`)')
        .optional(),
      root: name
        .describe("the path on the server of icecore's folder of adapters (default: the same path as here)")
        .optional(),
      timeout: seconds.describe('until the server has loaded an adapter (default 600)').optional(),
    })
    .describe('load each checkpoint, a LoRA adapter, into the server before it is asked')
    .optional(),
});

export const modelEntries = z.record(name, modelEntry);

/** The entries as written in the file. */
export type ModelEntries = z.infer<typeof modelEntries>;

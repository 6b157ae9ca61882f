// What `icecore run --json` prints: where a run came to.
import { z } from 'zod';
import { measurement } from './parts.ts';
import { amounts, count, name, runId } from './primitives.ts';

export const runResult = z
  .strictObject({
    ledger: z.string(),
    run: runId,
    name,
    ended: z.enum(['completed', 'waiting']).describe('waiting: a person is to decide, with icecore adopt'),
    stages: count.describe('how many were begun'),
    checkpoint: name.nullable().describe('what the last one left'),
    results: z.array(measurement).describe('the headline figures of the last one'),
    spent: amounts.describe('of all stages'),
  })
  .describe('where a run came to');

/** What `icecore run`, `icecore resume` and `icecore fork` print with `--json`: the results of the last stage. */
export type RunResult = z.infer<typeof runResult>;

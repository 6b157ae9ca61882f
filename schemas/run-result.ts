// What `icecore run --json` prints: the state of a run after the command.
import { z } from 'zod';
import { measurement } from './parts.ts';
import { amounts, count, name, runId } from './primitives.ts';

export const runResult = z
  .strictObject({
    ledger: z.string(),
    run: runId,
    name,
    ended: z.enum(['completed', 'waiting']).describe('waiting: a person has to decide, with icecore adopt'),
    stages: count.describe('number of started stages'),
    checkpoint: name.nullable().describe('the checkpoint after the last stage'),
    results: z.array(measurement).describe('the headline figures of the last stage'),
    spent: amounts.describe('on all stages'),
  })
  .describe('the state of the run');

/** The output of `icecore run`, `icecore resume` and `icecore fork` with `--json`: the results of the last stage. */
export type RunResult = z.infer<typeof runResult>;

// What `icecore worker --json` prints: what a worker did of a run.
import { z } from 'zod';
import { count, name, runId } from './primitives.ts';

export const workResult = z
  .strictObject({
    ledger: z.string(),
    run: runId,
    name,
    shards: count.describe('how many it completed'),
    events: count.describe('how many events of evidence are in them'),
    lost: count.describe(
      'how many others took over before it had completed them: what it wrote of these does not count',
    ),
  })
  .describe('what a worker did of a run that is completed');

/** What `icecore worker --json` prints: how much of the run this worker completed. */
export type WorkResult = z.infer<typeof workResult>;

// What `icecore worker --json` prints: the work that this worker did on a run.
import { z } from 'zod';
import { count, name, runId } from './primitives.ts';

export const workResult = z
  .strictObject({
    ledger: z.string(),
    run: runId,
    name,
    shards: count.describe('number of completed shards'),
    events: count.describe('number of evidence events in them'),
    lost: count.describe(
      'number of shards that others took over before it completed them; its events for these do not count',
    ),
  })
  .describe('the work of this worker on a completed run');

/** The output of `icecore worker --json`: how much of the run this worker completed. */
export type WorkResult = z.infer<typeof workResult>;

// What a report of a run is made from, and what `icecore report --json` prints: the run, the story of each decision, figures
// for charts, failures as they were drawn, and what it can be checked by.
import { z } from 'zod';
import { chartData } from './chart-data.ts';
import { head } from './head.ts';
import { count, digest, evidenceId, moment, stageNumber, stream, uuid } from './primitives.ts';
import { show } from './run-output.ts';
import { why } from './why-output.ts';

const drawnFailure = z
  .strictObject({
    stage: stageNumber,
    evidenceId,
    family: z.string().nullable(),
    class: z.string().nullable(),
    says: z.string().nullable(),
    drawing: z.string(),
    rollout: uuid,
  })
  .describe('a failure as engineers are shown it');

export const report = z.strictObject({
  as_of: moment,
  by: z.string().describe('the version of icecore that made it'),
  ledger: z.strictObject({
    id: z.string().describe("the ledger's own identity"),
    events: count.describe('how many events it held'),
    head: head
      .nullable()
      .describe('what icecore ledger head prints; null where the ledger is too long to make one in passing'),
  }),
  end: z
    .strictObject({ stream, revision: z.int().min(0), digest })
    .nullable()
    .describe('the last event of the run: its digest vouches for every decision before it'),
  leftOut: z
    .boolean()
    .describe('true: benchmarks and probe-holdout figures are left out, for a person is still deciding'),
  run: show.omit({ ledger: true }),
  story: z.array(why.omit({ ledger: true })).describe('decision by decision'),
  untold: count.describe('earlier decisions that are in the run and not in the story, because there are so many'),
  drawn: z.array(drawnFailure),
  charts: chartData,
});

/** What `icecore report --json` prints: a run with the reasons for its decisions and the figures for its charts. */
export type Report = z.infer<typeof report>;
export type DrawnFailure = z.infer<typeof drawnFailure>;
export type StoryEntry = Report['story'][number];

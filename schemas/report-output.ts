// The data of a report of a run, which `icecore report --json` prints: the run, each decision with its reasons and effects,
// figures for charts, drawn failures, and what the report can be checked against.
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
  .describe('a failure as engineers see it');

const svg = z.string();

const picture = z
  .strictObject({ rollout: uuid, svg, animation: svg.nullable().describe('null: only the replay is animated') })
  .describe('a rollout as its environment draws it when the report is made');

const replay = z
  .strictObject({
    stage: stageNumber.describe('the stage that the change configured'),
    family: z.string(),
    failed: uuid.describe('a rollout before the change, which its decision cites'),
    solved: uuid.describe('a rollout after it'),
    isSameTask: z.boolean().describe('whether both tried the same task'),
    drawing: z.string().describe('the solved rollout in characters'),
  })
  .describe('a failed rollout before a change and a solved one of the same family after it; both are in pictures');

export const report = z.strictObject({
  as_of: moment,
  by: z.string().describe('the version of icecore that made the report'),
  ledger: z.strictObject({
    id: z.string().describe('the id of the ledger'),
    events: count.describe('number of events'),
    head: head
      .nullable()
      .describe('the output of icecore ledger head; null: the ledger is too long to compute it for a report'),
  }),
  end: z
    .strictObject({ stream, revision: z.int().min(0), digest })
    .nullable()
    .describe('the last event of the run; its digest covers every decision before it'),
  leftOut: z
    .boolean()
    .describe('true: benchmarks and probe-holdout figures are left out, because a person still has to decide'),
  run: show.omit({ ledger: true }),
  story: z.array(why.omit({ ledger: true })).describe('the decisions in order'),
  untold: count.describe('number of earlier decisions that are left out of the story'),
  drawn: z.array(drawnFailure),
  pictures: z.array(picture),
  replay: replay.nullable(),
  charts: chartData,
});

/** The output of `icecore report --json`: a run with the reasons for its decisions and the figures for its charts. */
export type Report = z.infer<typeof report>;
export type DrawnFailure = z.infer<typeof drawnFailure>;
export type StoryEntry = Report['story'][number];

// What `icecore lake solve` and its siblings print, a line of JSON for every line they read.
import { z } from 'zod';
import { count, digest, moment } from './primitives.ts';

/** The ways to fail, in the order in which those at one step are told. */
export const lakeFailureClasses = [
  'parse-error',
  'missing-agent',
  'off-grid',
  'hole',
  'vertex-conflict',
  'swap-conflict',
  'goal-missed',
  'horizon',
  'truncated',
] as const;

const lakeId = z.string().nullable().describe('what its maker calls the instance; null where it has no name');
export const lakeCell = z.tuple([count, count]).describe('row and column');
const lakeMoves = z
  .string()
  .regex(/^[UDLRW]*$/)
  .describe('up, down, left, right, wait: a letter a step');
const lakePlan = z.array(lakeMoves).describe('for every agent its moves');
const agentNumber = count.describe('an agent, from 0');

/** Stands for the answer to a line that is no instance. */
const lakeRefused = z.strictObject({
  id: lakeId,
  error: z.strictObject({
    kind: z.literal('bad-input'),
    message: z.string(),
    field: z.string().describe('empty: the line as a whole'),
    found: z.string(),
    allowed: z.string(),
    line: z.int().positive().describe('its number in the input, blank lines counted'),
  }),
});

const lakeSolved = z.strictObject({
  id: lakeId,
  digest,
  solvable: z.union([z.boolean(), z.literal('undecided')]),
  cost: count.nullable().describe('of an optimal plan: the sum over agents of the step of their final arrival'),
  needsWait: z
    .boolean()
    .nullable()
    .describe(
      'true: in every optimal plan somebody waits; null: there is no plan, or the effort was not enough to tell',
    ),
  plan: lakePlan.nullable().describe('an optimal one'),
  because: z.array(agentNumber).describe('where there is no plan: there is none for these agents alone').optional(),
  bound: count.describe('where it is undecided: every plan costs at least so much').optional(),
  reason: z.string().describe('where it is undecided: why').optional(),
});

/** One line of the NDJSON that `lake generate` prints, with --json and without. */
export const lakeGenerate = z.strictObject({
  id: z.string(),
  size: count,
  holes: z.array(lakeCell),
  agents: z.array(z.strictObject({ start: lakeCell, goal: lakeCell })),
  digest,
  cost: count.describe('of an optimal plan'),
  needsWait: z.boolean().describe('true: in every optimal plan somebody waits'),
});

/** What `lake generate --report` writes. */
export const lakeReport = z.strictObject({
  as_of: moment,
  asked: count,
  made: count.describe('altogether, stand-ins counted'),
  total: count,
  rows: z.array(
    z
      .strictObject({
        size: count,
        agents: count,
        holes: count,
        needsWait: z.boolean(),
        asked: count,
        made: count.describe('of this very kind'),
        standIns: count.describe('of other kinds, in their place'),
        says: z.string(),
      })
      .describe('a kind of which there were not as many as asked for'),
  ),
  truncated: z.literal(false),
});

/** What `lake generate --suites --json` prints. */
export const lakeSuites = z.strictObject({
  as_of: moment,
  total: count,
  rows: z.array(
    z.strictObject({
      name: z.string(),
      agents: count,
      wait: z.number().describe('the share of instances in which somebody has to wait'),
      sizes: z.array(count),
      perSize: count.describe('instances of each size'),
      instances: count,
      seed: z.string(),
    }),
  ),
  truncated: z.literal(false),
});

const lakeFailure = z.strictObject({
  class: z.enum(lakeFailureClasses),
  step: count.describe('from 1; 0 where it is about the plan as such'),
  agents: z.array(agentNumber),
  cell: lakeCell.nullable(),
  words: z.string().describe('of a parse-error: what was found where, and what is allowed').optional(),
});

const lakeJudged = z.strictObject({
  id: lakeId,
  outcome: z.enum(['valid', ...lakeFailureClasses]),
  cost: count.nullable().describe('null: the plan is not valid'),
  optimal: z.boolean().nullable().describe('null: the plan is not valid, or the effort was not enough to tell'),
  failures: z.array(lakeFailure).describe('by step; the first names the outcome'),
});

/** One line of the NDJSON that `lake solve` prints, with --json and without. */
export const lakeSolve = z.union([lakeSolved, lakeRefused]);

/** One line of the NDJSON that `lake judge` prints, with --json and without. */
export const lakeJudge = z.union([lakeJudged, lakeRefused]);

/** One line of the NDJSON that `lake show --json` prints. */
export const lakeShow = z.strictObject({
  id: lakeId,
  digest,
  plan: lakePlan.nullable().describe('the plan that is drawn; null: none is'),
  outcome: z
    .enum(['valid', ...lakeFailureClasses])
    .nullable()
    .describe('of the plan; null: there is none'),
  drawing: z.string().describe('in letters, without colours'),
  svg: z.string().nullable().describe('the file that was written; null: none was asked for'),
});

const ms = z.number().nonnegative().describe('milliseconds');
const rate = z.number().nonnegative().describe('a second');

const lakeMeasured = z.strictObject({
  size: count,
  agents: count,
  lakes: count.describe('that were solved'),
  solvedPerSecond: rate,
  medianMs: ms,
  p99Ms: ms,
  worstMs: ms,
  undecided: count.describe('of these, on which the solver gave up'),
  judgedStepsPerSecond: rate.describe('steps of single agents a second'),
  generatedPerSecond: rate.nullable().describe('null: the generator makes no such lakes'),
});

export const lakeBench = z.strictObject({
  as_of: moment,
  total: count.describe('how many shapes there are'),
  rows: z.array(lakeMeasured),
  truncated: z.literal(false),
  seed: z.string(),
  machine: z.strictObject({ cpu: z.string(), node: z.string() }),
});

export type LakeGenerated = z.infer<typeof lakeGenerate>;
export type LakeReport = z.infer<typeof lakeReport>;
export type LakeSuites = z.infer<typeof lakeSuites>;
export type LakeMeasured = z.infer<typeof lakeMeasured>;
export type LakeBench = z.infer<typeof lakeBench>;
export type LakeShown = z.infer<typeof lakeShow>;
export type LakeSolved = z.infer<typeof lakeSolved>;
export type LakeJudged = z.infer<typeof lakeJudged>;
export type LakeRefused = z.infer<typeof lakeRefused>;

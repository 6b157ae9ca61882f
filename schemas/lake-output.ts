// What `icecore lake solve` and related commands print: a line of JSON for every input line.
import { z } from 'zod';
import { count, digest, moment } from './primitives.ts';

/** The failure classes, in the order in which failures at the same step are reported. */
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

const lakeId = z.string().nullable().describe('the name of the instance; null: none');
export const lakeCell = z.tuple([count, count]).describe('row and column');
const lakeMoves = z
  .string()
  .regex(/^[UDLRW]*$/)
  .describe('up, down, left, right, wait: one letter per step');
const lakePlan = z.array(lakeMoves).describe('the moves of every agent');
const agentNumber = count.describe('the index of an agent, from 0');

/** Printed instead of an answer for a line that is not an instance. */
const lakeRefused = z.strictObject({
  id: lakeId,
  error: z.strictObject({
    kind: z.literal('bad-input'),
    message: z.string(),
    field: z.string().describe('empty: the whole line'),
    found: z.string(),
    allowed: z.string(),
    line: z.int().positive().describe('the line number in the input, including blank lines'),
  }),
});

const lakeSolved = z.strictObject({
  id: lakeId,
  digest,
  solvable: z.union([z.boolean(), z.literal('undecided')]),
  cost: count
    .nullable()
    .describe('the cost of an optimal plan: the sum over agents of the step of their final arrival'),
  needsWait: z
    .boolean()
    .nullable()
    .describe(
      'true: an agent waits in every optimal plan; null: there is no plan, or the effort limit left it undecided',
    ),
  plan: lakePlan.nullable().describe('an optimal plan'),
  because: z
    .array(agentNumber)
    .describe('if there is no plan: a set of agents for which alone there is none')
    .optional(),
  bound: count.describe('if undecided: a lower bound of the cost of every plan').optional(),
  reason: z.string().describe('if undecided: the reason').optional(),
});

/** A line of the NDJSON that `lake generate` prints, with --json and without. */
export const lakeGenerate = z.strictObject({
  id: z.string(),
  size: count,
  holes: z.array(lakeCell),
  agents: z.array(z.strictObject({ start: lakeCell, goal: lakeCell })),
  digest,
  cost: count.describe('the cost of an optimal plan'),
  needsWait: z.boolean().describe('true: an agent waits in every optimal plan'),
});

/** The content of the report of `lake generate --report`. */
export const lakeReport = z.strictObject({
  as_of: moment,
  asked: count,
  made: count.describe('the total, including substitutes'),
  total: count,
  rows: z.array(
    z
      .strictObject({
        size: count,
        agents: count,
        holes: count,
        needsWait: z.boolean(),
        asked: count,
        made: count.describe('number of exactly this kind'),
        standIns: count.describe('number of substitutes of other kinds'),
        says: z.string(),
      })
      .describe('a kind of which there were fewer than requested'),
  ),
  truncated: z.literal(false),
});

/** The output of `lake generate --suites --json`. */
export const lakeSuites = z.strictObject({
  as_of: moment,
  total: count,
  rows: z.array(
    z.strictObject({
      name: z.string(),
      agents: count,
      wait: z.number().describe('the share of instances in which an agent has to wait'),
      sizes: z.array(count),
      perSize: count.describe('number of instances of each size'),
      instances: count,
      seed: z.string(),
    }),
  ),
  truncated: z.literal(false),
});

const lakeFailure = z.strictObject({
  class: z.enum(lakeFailureClasses),
  step: count.describe('the step from 1; 0: the plan as a whole'),
  agents: z.array(agentNumber),
  cell: lakeCell.nullable(),
  words: z.string().describe('for a parse-error: what was found where, and what is allowed').optional(),
});

const lakeJudged = z.strictObject({
  id: lakeId,
  outcome: z.enum(['valid', ...lakeFailureClasses]),
  cost: count.nullable().describe('null: the plan is not valid'),
  optimal: z.boolean().nullable().describe('null: the plan is not valid, or the effort limit left it undecided'),
  failures: z.array(lakeFailure).describe('by step; the first one is the outcome'),
});

/** A line of the NDJSON that `lake solve` prints, with --json and without. */
export const lakeSolve = z.union([lakeSolved, lakeRefused]);

/** A line of the NDJSON that `lake judge` prints, with --json and without. */
export const lakeJudge = z.union([lakeJudged, lakeRefused]);

/** A line of the NDJSON that `lake show --json` prints. */
export const lakeShow = z.strictObject({
  id: lakeId,
  digest,
  plan: lakePlan.nullable().describe('the drawn plan; null: none'),
  outcome: z
    .enum(['valid', ...lakeFailureClasses])
    .nullable()
    .describe('the outcome of the plan; null: there is no plan'),
  drawing: z.string().describe('the drawing in letters, without colours'),
  svg: z.string().nullable().describe('the written file; null: none requested'),
});

const ms = z.number().nonnegative().describe('milliseconds');
const rate = z.number().nonnegative().describe('a second');

const lakeMeasured = z.strictObject({
  size: count,
  agents: count,
  lakes: count.describe('number of solved lakes'),
  solvedPerSecond: rate,
  medianMs: ms,
  p99Ms: ms,
  worstMs: ms,
  undecided: count.describe('number of these on which the solver gave up'),
  judgedStepsPerSecond: rate.describe('agent steps per second'),
  generatedPerSecond: rate.nullable().describe('null: the generator cannot make such lakes'),
});

export const lakeBench = z.strictObject({
  as_of: moment,
  total: count.describe('number of shapes'),
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

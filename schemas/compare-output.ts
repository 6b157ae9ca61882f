// What `icecore compare` prints: runs side by side, the settings in which they differ, paired differences between them, and
// runs that cannot be compared. A figure that was not recorded is null.
import { z } from 'zod';
import { amounts, count, digest, moment, runId, stageNumber } from './primitives.ts';
import { overspent, rate, runStates } from './run-output.ts';

const label = z.string().describe('the label of the run: its name, with its id if two runs share a name');

const point = stageNumber.nullable().describe('null: evaluated outside of any stage');

const suite = z.strictObject({
  suite: z.string(),
  split: z.string(),
  stage: point,
  valid: rate,
  optimal: rate,
});

const seed = z.union([z.int(), z.string()]).nullable();

const run = z.strictObject({
  label,
  run: runId,
  name: z.string(),
  at: moment.nullable().describe('when it started'),
  environment: z.string().nullable(),
  engineer: z.string().nullable(),
  form: z.string().nullable(),
  seed,
  done: count.describe('completed stages'),
  planned: count.nullable(),
  state: z.enum(runStates),
  asked: stageNumber.nullable().describe('the last stage in the request; null: none was named'),
  stage: point.describe('the stage of these results; null: none'),
  rate: rate.describe('on the suite by which runs are compared, after that stage'),
  course: z
    .array(z.strictObject({ stage: stageNumber, value: z.number() }))
    .describe('the same after each stage through that stage'),
  shares: z
    .array(z.strictObject({ family: z.string(), share: z.number() }))
    .describe('the task mixture of the training data in that stage'),
  errored: z
    .array(stageNumber)
    .describe('stages through that one with an errored decision: the engineer could not answer'),
  signal: z.number().nullable().describe('share of sample groups whose rewards differ in that stage'),
  suites: z.array(suite).describe('all evaluations after that stage'),
  spent: amounts.describe('spent on training through that stage'),
  overspent: z
    .array(overspent.extend({ stage: stageNumber }))
    .describe('stages through that one in which an external trainer exceeded the budget'),
  tokens: count.nullable().describe('tokens of model calls by engineers through that stage; null: none recorded'),
  cost: amounts.describe('cost of these calls by currency; empty: none recorded'),
  parent: z
    .strictObject({ run: runId, name: z.string(), stage: stageNumber, isThere: z.boolean() })
    .nullable()
    .describe('the shared history; null: not a fork'),
  opaque: count.describe('events in its stream that this icecore cannot read'),
});

const value = z.unknown().describe('null: not recorded');

const setting = z.strictObject({
  setting: z.string(),
  isChanged: z.boolean(),
  values: z.array(z.strictObject({ value, runs: z.array(label) })).describe('in the order of runs'),
});

const verdicts = ['better', 'worse', 'inconclusive', 'same', 'unknown'] as const;

/** The unit of pairs. It decides how often a pair was tried, and which test is used. */
const pairings = ['tasks', 'families', 'seeds'] as const;

const difference = z
  .strictObject({
    of: z.string().describe('a run, or an arm if runs differ by seed'),
    against: z.string(),
    pairs: z
      .enum(pairings)
      .nullable()
      .describe('tasks: the same task tried by both; families: the same family of the same suite; null: no pairs'),
    units: count.describe('number of pairs'),
    difference: z.number().nullable(),
    low: z.number().nullable().describe('the lower end of its 95 % interval'),
    high: z.number().nullable(),
    p: z.number().nullable().describe('p-value'),
    adjusted: z.number().nullable().describe('p, corrected (Holm) for all comparisons of the set'),
    better: count.describe('pairs in which this one did better'),
    worse: count,
    effect: z.number().nullable().describe('for pairs of seeds: the difference in standard deviations of the pairs'),
    method: z.string().nullable(),
    unitsNeeded: count
      .nullable()
      .describe(
        'for pairs of seeds: estimated number of seeds that would make this difference significant; null: unknown',
      ),
    equivalence: z
      .strictObject({ margin: z.number(), low: z.number(), high: z.number(), level: z.number(), holds: z.boolean() })
      .nullable()
      .describe(
        'whether the interval of that level is within the margin, for pairs of tasks by at least 50; null: no margin was stated',
      ),
    verdict: z.enum(verdicts).describe('same: both are the same stage; unknown: nothing can be compared'),
    says: z.string().describe('in words'),
    families: z
      .array(z.strictObject({ family: z.string(), of: rate, against: rate, difference: z.number().nullable() }))
      .describe('by family, for two runs'),
  })
  .describe('the difference between two runs or arms');

const arm = z.strictObject({
  arm: z.string(),
  settings: z.record(z.string(), z.unknown()).describe('the settings in which it differs from other arms'),
  runs: z.array(z.strictObject({ run: label, seed, value: z.number().nullable() })),
  mean: z.number().nullable(),
  low: z.number().nullable().describe('the lower end of its 95 % interval over seeds'),
  high: z.number().nullable(),
  deviation: z.number().nullable().describe('the standard deviation over seeds'),
});

const seedTasks = z
  .strictObject({
    of: z.string().describe('an arm'),
    against: z.string(),
    seed: z.string(),
    tasks: count.describe('number of tasks that both tried'),
    better: count.describe('tasks on which the arm did better'),
    worse: count,
    difference: z.number(),
    low: z.number().nullable().describe('the lower end of its 95 % interval'),
    high: z.number().nullable(),
    p: z.number().nullable(),
    method: z.string(),
  })
  .describe('two arms within a seed, task by task: it compares these checkpoints, not the settings of the arms');

const set = z
  .strictObject({
    runs: z.array(label),
    stage: point.describe(
      'the last stage that all of them completed; null: outside of any stage, or the request names other stages',
    ),
    suite: z.strictObject({
      suite: z.string(),
      split: z.string(),
      digest: digest.nullable().describe('the digest of its tasks'),
      tasks: count.nullable(),
    }),
    unit: z.enum(['run', 'seed']).describe('seed: runs that differ only by seed form an arm'),
    baseline: z.string(),
    arms: z.array(arm).describe('empty if the unit is the run, unless all runs differ only by seed'),
    differences: z.array(difference),
    tasks: z.array(seedTasks).describe('only where arms are compared by seed and rollouts of both are recorded'),
    warnings: z.array(z.string()).describe('what makes the comparison unfair: unequal budgets, unequal spending'),
    unrecorded: z.array(z.string()).describe('what is not recorded of its runs, as sentences'),
    notes: z.array(z.string()).describe('notes on how to read the results'),
  })
  .describe('a set of comparable runs');

const apartKinds = ['unfinished', 'suite', 'environment', 'budget', 'policy', 'trainer', 'errored'] as const;

const apart = z
  .strictObject({
    runs: z.array(label),
    from: label.nullable().describe('the run they cannot be compared with; null: any other run'),
    reasons: z.array(
      z.strictObject({ kind: z.enum(apartKinds), here: z.string(), there: z.string(), says: z.string() }),
    ),
    remedy: z.string().nullable().describe('what to type instead'),
  })
  .describe('runs that are not compared with others, with the reason');

export const compare = z.strictObject({
  ledger: z.string().describe('the URL of the ledger'),
  suite: z.string().nullable().describe('the suite by which runs are compared; null: the validation suite'),
  measure: z.string(),
  all: z.boolean().describe('true: settings without differences are included'),
  runs: z.array(run).describe('in the order of the request'),
  settings: z.array(setting),
  sets: z.array(set),
  apart: z.array(apart),
  notes: z.array(z.string()),
});

/** The output of `icecore compare --json`; runs that cannot be compared are in `apart`, with the reasons. */
export type Compared = z.infer<typeof compare>;
export type ComparedRun = z.infer<typeof run>;
export type ComparedSet = z.infer<typeof set>;
export type ComparedArm = z.infer<typeof arm>;
export type ComparedSetting = z.infer<typeof setting>;
export type SeedTasks = z.infer<typeof seedTasks>;
export type RunDifference = z.infer<typeof difference>;
export type Apart = z.infer<typeof apart>;
export type ApartKind = (typeof apartKinds)[number];
export type Pairing = (typeof pairings)[number];

/** Differences that the user may choose to ignore. Different tasks cannot be ignored, since there would be no pairs; neither can errors. */
export const passable = [
  'environment',
  'budget',
  'policy',
  'trainer',
  'errored',
] as const satisfies readonly ApartKind[];

export type Passable = (typeof passable)[number];

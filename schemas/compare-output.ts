// What `icecore compare` prints: runs side by side, in what they were set otherwise, and how much better one is than another,
// in pairs; and which of them cannot be compared. A figure that nobody recorded is null.
import { z } from 'zod';
import { amounts, count, digest, moment, runId, stageNumber } from './primitives.ts';
import { overspent, rate, runStates } from './run-output.ts';

const label = z.string().describe('what the run is called here: its name, with its identity where two have the same');

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
  at: moment.nullable().describe('when it began'),
  environment: z.string().nullable(),
  engineer: z.string().nullable(),
  form: z.string().nullable(),
  seed,
  done: count.describe('stages that are over'),
  planned: count.nullable(),
  state: z.enum(runStates),
  asked: stageNumber.nullable().describe('the stage it was asked for up to; null: none was named'),
  stage: point.describe('the stage it is told of; null where it is none'),
  rate: rate.describe('of the suite that runs are compared by, after that stage'),
  course: z
    .array(z.strictObject({ stage: stageNumber, value: z.number() }))
    .describe('the same after each stage, as far as that stage'),
  shares: z
    .array(z.strictObject({ family: z.string(), share: z.number() }))
    .describe('how training data were divided in that stage'),
  errored: z
    .array(stageNumber)
    .describe('stages up to that one whose decision is errored: their engineer could not answer'),
  signal: z.number().nullable().describe('the share of sample groups whose rewards differed in that stage'),
  suites: z.array(suite).describe('all that was evaluated after that stage'),
  spent: amounts.describe('on training, as far as that stage'),
  overspent: z
    .array(overspent.extend({ stage: stageNumber }))
    .describe('stages as far as that one in which something else trained beyond the budget'),
  tokens: count.nullable().describe('of models that engineers asked, as far as that stage; null: none are recorded'),
  cost: amounts.describe('of these, by currency; empty where none is recorded'),
  parent: z
    .strictObject({ run: runId, name: z.string(), stage: stageNumber, isThere: z.boolean() })
    .nullable()
    .describe('the history it shares; null: it is no fork'),
  opaque: count.describe('events in its stream that this icecore cannot read'),
});

const value = z.unknown().describe('null where it is not recorded');

const setting = z.strictObject({
  setting: z.string(),
  isChanged: z.boolean(),
  values: z.array(z.strictObject({ value, runs: z.array(label) })).describe('in the order of runs'),
});

const verdicts = ['better', 'worse', 'inconclusive', 'same', 'unknown'] as const;

/** What stands beside what: how often each pair was tried, and what a test takes for one of them. */
const pairings = ['tasks', 'families', 'seeds'] as const;

const difference = z
  .strictObject({
    of: z.string().describe('a run, or an arm where runs differ by their seeds'),
    against: z.string(),
    pairs: z
      .enum(pairings)
      .nullable()
      .describe(
        'tasks: the same task tried by both; families: the same family of the same suite; null: there are none',
      ),
    units: count.describe('how many pairs'),
    difference: z.number().nullable(),
    low: z.number().nullable().describe('the lower end of its 95 % interval'),
    high: z.number().nullable(),
    p: z.number().nullable().describe('how likely a difference as large is by chance'),
    adjusted: z.number().nullable().describe('p, corrected after Holm for all comparisons of the set'),
    better: count.describe('pairs in which it did better'),
    worse: count,
    effect: z.number().nullable().describe('of seeds: the difference in standard deviations of the pairs'),
    method: z.string().nullable(),
    unitsNeeded: count
      .nullable()
      .describe('of seeds: about how many would show a difference as large; null: not known'),
    equivalence: z
      .strictObject({ margin: z.number(), low: z.number(), high: z.number(), level: z.number(), holds: z.boolean() })
      .nullable()
      .describe('whether the interval of that level lies within the margin; null: no margin was stated'),
    verdict: z.enum(verdicts).describe('same: it is the same stage; unknown: nothing can be compared'),
    says: z.string().describe('in words'),
    families: z
      .array(z.strictObject({ family: z.string(), of: rate, against: rate, difference: z.number().nullable() }))
      .describe('by family, where it is of two runs'),
  })
  .describe('how much better one is than another');

const arm = z.strictObject({
  arm: z.string(),
  settings: z.record(z.string(), z.unknown()).describe('in what it differs from other arms'),
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
    tasks: count.describe('that both tried'),
    better: count.describe('on which the arm did better'),
    worse: count,
    difference: z.number(),
    low: z.number().nullable().describe('the lower end of its 95 % interval'),
    high: z.number().nullable(),
    p: z.number().nullable(),
    method: z.string(),
  })
  .describe('two arms within a seed, task by task: of these checkpoints, and not of the settings of the arms');

const set = z
  .strictObject({
    runs: z.array(label),
    stage: point.describe(
      'the last that all of them have finished; null: outside of any, or runs were asked for up to others',
    ),
    suite: z.strictObject({
      suite: z.string(),
      split: z.string(),
      digest: digest.nullable().describe('of its tasks'),
      tasks: count.nullable(),
    }),
    unit: z.enum(['run', 'seed']).describe('seed: runs that differ by their seed alone are an arm'),
    baseline: z.string(),
    arms: z.array(arm).describe('empty where the unit is the run, unless all runs differ by their seeds alone'),
    differences: z.array(difference),
    tasks: z.array(seedTasks).describe('where arms are compared seed by seed, and rollouts of both are recorded'),
    warnings: z.array(z.string()).describe('what makes the comparison unfair: unequal budgets, unequal spending'),
    notes: z.array(z.string()).describe('what to know when reading them'),
  })
  .describe('runs that are comparable');

const apartKinds = ['unfinished', 'suite', 'environment', 'budget', 'policy', 'trainer', 'errored'] as const;

const apart = z
  .strictObject({
    runs: z.array(label),
    from: label.nullable().describe('the run they cannot be compared with; null: with none'),
    reasons: z.array(
      z.strictObject({ kind: z.enum(apartKinds), here: z.string(), there: z.string(), says: z.string() }),
    ),
    remedy: z.string().nullable().describe('what to type instead'),
  })
  .describe('runs that are not compared with others, and why');

export const compare = z.strictObject({
  ledger: z.string().describe('the URL of the ledger'),
  suite: z
    .string()
    .nullable()
    .describe('that by which runs are compared; null: that of validation, whatever it is called'),
  measure: z.string(),
  all: z.boolean().describe('true: with settings that are the same'),
  runs: z.array(run).describe('in the order they were asked for'),
  settings: z.array(setting),
  sets: z.array(set),
  apart: z.array(apart),
  notes: z.array(z.string()),
});

/** What `icecore compare --json` prints; runs that cannot be compared are in `apart`, with the reasons. */
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

/** What may be passed over on purpose: tasks may not, for there would be no pairs. An error is no outcome, and no difference. */
export const passable = [
  'environment',
  'budget',
  'policy',
  'trainer',
  'errored',
] as const satisfies readonly ApartKind[];

export type Passable = (typeof passable)[number];

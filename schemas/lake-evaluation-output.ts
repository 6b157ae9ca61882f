// What `icecore lake evaluate` and `icecore lake leaderboard` print, with the field names of EvaluationRecorded where it has them.
import { z } from 'zod';
import { split } from './evidence.ts';
import { lakeCell, lakeFailureClasses } from './lake-output.ts';
import { checkpoint, component, measurement, suite } from './parts.ts';
import { count, digest, moment, share } from './primitives.ts';
import { evaluationFields } from './training.ts';

const fault = z
  .strictObject({ kind: z.string(), count, says: z.string().describe('the message of the first fault') })
  .describe('rollouts invalidated by a fault other than the policy’s; they are no evidence');

const measured = z
  .strictObject({
    seconds: z.number().nonnegative(),
    rolloutsPerSecond: z.number().nonnegative(),
    agentSteps: count.describe('moves of agents, or tokens'),
    agentStepsPerSecond: z.number().nonnegative(),
    latencyMs: z
      .strictObject({ median: z.number(), p95: z.number() })
      .nullable()
      .describe('the latency of answers; null: no model was asked'),
  })
  .describe('measurements that depend on the machine');

const decoding = z.strictObject({ greedy: z.boolean().describe('true: the best answer; false: a sampled answer') });
const interval = z.strictObject({ method: z.literal('wilson'), level: share });
const seed = z.string().describe('the random seed for answers, and for lakes that are not from a suite');

/** The output of `lake evaluate --json`. */
export const lakeEvaluate = z.strictObject({
  as_of: moment,
  named: z.string().describe('the policy as given'),
  policy: component,
  checkpoint: checkpoint.nullable(),
  suite,
  split,
  seed,
  samples: count.describe('attempts per lake'),
  decoding,
  rollouts: count,
  results: evaluationFields.results,
  cells: z.array(
    z.strictObject({
      family: z.string(),
      conditions: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      rollouts: count,
      results: z.array(measurement),
    }),
  ),
  failures: z.array(z.strictObject({ family: z.string(), class: z.string(), count })),
  interval,
  faults: z.array(fault),
  measured,
});

/** A line of the NDJSON that `lake evaluate --rollouts` writes; `lake judge` and `lake show` read it. */
export const lakeRollout = z.strictObject({
  id: z.string(),
  size: count,
  holes: z.array(lakeCell),
  agents: z.array(z.strictObject({ start: lakeCell, goal: lakeCell })),
  digest,
  needsWait: z.boolean().describe('whether an agent waits in every optimal plan, if known').optional(),
  sample: count.describe('index of the attempt at the same lake, from 0'),
  plan: z.unknown().describe('the parsed plan, or the answer itself if it is not a plan'),
  truncated: z.boolean().describe('the text was cut off').optional(),
  outcome: z
    .enum(['valid', ...lakeFailureClasses])
    .nullable()
    .describe('null: a fault, so no evidence'),
  cost: count.nullable().describe('the cost of the plan; null: not valid'),
  optimal: z.boolean().nullable().describe('null: unknown, or a fault'),
  failures: z.array(
    z.strictObject({
      class: z.string(),
      step: count.optional(),
      message: z.string().optional(),
      details: z.unknown().optional(),
    }),
  ),
  fault: z.strictObject({ kind: z.string(), message: z.string() }).optional(),
  agentSteps: count.optional(),
  sureness: z
    .strictObject({ logProbability: z.number(), entropy: z.number(), value: z.number().optional() })
    .describe('the confidence that the policy reports')
    .optional(),
  modelAnswer: digest.describe('the answer is recorded in the stream answer-<this>').optional(),
  completion: z.string().describe('the answer of a model without its reasoning').optional(),
  finishReason: z.string().optional(),
  tokens: z.record(z.string(), z.number()).optional(),
  spent: z.strictObject({ currency: z.string(), total: z.number() }).optional(),
  measured: z.record(z.string(), z.unknown()).optional(),
});

const rate = z.strictObject({
  value: share.nullable().describe('null: nothing to count'),
  count,
  of: count,
  low: share.nullable(),
  high: share.nullable(),
});

const difference = z
  .strictObject({
    value: z.number().describe('the mean over lakes of this policy’s rate minus the baseline’s'),
    low: z.number(),
    high: z.number(),
    better: count.describe('number of lakes on which this policy does better'),
    worse: count,
    of: count.describe('number of lakes on which both were judged'),
  })
  .nullable()
  .describe('paired by lake; null: no lake was judged for both');

const leaderboardRow = z.strictObject({
  named: z.string().describe('the policy as given'),
  policy: component,
  checkpoint: checkpoint.nullable(),
  rollouts: count,
  valid: rate,
  optimal: rate,
  cells: z.array(
    z
      .strictObject({
        conditions: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
        valid: rate,
        optimal: rate,
      })
      .describe('all lakes with this number of agents, or this wait ratio'),
  ),
  against: z
    .strictObject({ valid: difference, optimal: difference })
    .nullable()
    .describe('the difference from the baseline; null: it is the baseline'),
  spent: z.array(measurement).describe('tokens/KIND and cost/CURRENCY; empty: no model was asked'),
  faults: z.array(fault),
  measured,
});

/** The output of `lake leaderboard --json`. */
export const lakeLeaderboard = z.strictObject({
  as_of: moment,
  total: count,
  rows: z.array(leaderboardRow).describe('sorted by valid rate, highest first'),
  truncated: z.literal(false),
  baseline: z.string().describe('the policy the others are compared with'),
  suite,
  split,
  seed,
  samples: count,
  decoding,
  interval,
  differences: z.strictObject({ method: z.literal('paired'), level: share }),
});

export type LakeEvaluation = z.infer<typeof lakeEvaluate>;
export type LakeRollout = z.infer<typeof lakeRollout>;
export type LakeLeaderboard = z.infer<typeof lakeLeaderboard>;
export type LakeRate = z.infer<typeof rate>;
export type LakeDifference = z.infer<typeof difference>;
export type LakeFault = z.infer<typeof fault>;
export type LakeMeasuredPace = z.infer<typeof measured>;

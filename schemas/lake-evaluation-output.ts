// What `icecore lake evaluate` and `icecore lake leaderboard` print, in the words of EvaluationRecorded where it has them.
import { z } from 'zod';
import { split } from './evidence.ts';
import { lakeCell, lakeFailureClasses } from './lake-output.ts';
import { checkpoint, component, measurement, suite } from './parts.ts';
import { count, digest, moment, share } from './primitives.ts';
import { evaluationFields } from './training.ts';

const fault = z
  .strictObject({ kind: z.string(), count, says: z.string().describe('the first of them') })
  .describe('rollouts that nothing can be said of, for a fault that is not the policy’s: they are no evidence');

const measured = z
  .strictObject({
    seconds: z.number().nonnegative(),
    rolloutsPerSecond: z.number().nonnegative(),
    agentSteps: count.describe('moves of single agents, or tokens'),
    agentStepsPerSecond: z.number().nonnegative(),
    latencyMs: z
      .strictObject({ median: z.number(), p95: z.number() })
      .nullable()
      .describe('of an answer, when it was asked for; null: nobody was asked'),
  })
  .describe('what differs from machine to machine');

const decoding = z.strictObject({ greedy: z.boolean().describe('true: the best answer; false: one that is drawn') });
const interval = z.strictObject({ method: z.literal('wilson'), level: share });
const seed = z.string().describe('of what is drawn: answers, and lakes that are not of a suite');

/** What `lake evaluate --json` prints. */
export const lakeEvaluate = z.strictObject({
  as_of: moment,
  named: z.string().describe('the policy, as it was named'),
  policy: component,
  checkpoint: checkpoint.nullable(),
  suite,
  split,
  seed,
  samples: count.describe('tries per lake'),
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

/** One line of the NDJSON that `lake evaluate --rollouts` writes; `lake judge` and `lake show` read it. */
export const lakeRollout = z.strictObject({
  id: z.string(),
  size: count,
  holes: z.array(lakeCell),
  agents: z.array(z.strictObject({ start: lakeCell, goal: lakeCell })),
  digest,
  needsWait: z.boolean().describe('whether in every optimal plan somebody waits, where that is known').optional(),
  sample: count.describe('which try at the same lake, from 0'),
  plan: z.unknown().describe('as it was understood; the answer itself where it is no plan'),
  truncated: z.boolean().describe('the text was cut').optional(),
  outcome: z
    .enum(['valid', ...lakeFailureClasses])
    .nullable()
    .describe('null: a fault, which is no evidence'),
  cost: count.nullable().describe('of the plan; null: it is not valid'),
  optimal: z.boolean().nullable().describe('null: it is not known, or there is a fault'),
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
    .describe('how sure the policy says that it is')
    .optional(),
  modelAnswer: digest.describe('the answer is recorded in the stream answer-<this>').optional(),
  completion: z.string().describe('what a model said, without its thoughts').optional(),
  finishReason: z.string().optional(),
  tokens: z.record(z.string(), z.number()).optional(),
  spent: z.strictObject({ currency: z.string(), total: z.number() }).optional(),
  measured: z.record(z.string(), z.unknown()).optional(),
});

const rate = z.strictObject({
  value: share.nullable().describe('null: there is none to count'),
  count,
  of: count,
  low: share.nullable(),
  high: share.nullable(),
});

const difference = z
  .strictObject({
    value: z.number().describe('the mean over lakes of this policy’s rate less the baseline’s'),
    low: z.number(),
    high: z.number(),
    better: count.describe('lakes on which this policy does better'),
    worse: count,
    of: count.describe('lakes that both were judged on'),
  })
  .nullable()
  .describe('paired, lake by lake; null: no lake was judged for both');

const leaderboardRow = z.strictObject({
  named: z.string().describe('as it was named'),
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
      .describe('all lakes with one number of agents, or one share of waits'),
  ),
  against: z
    .strictObject({ valid: difference, optimal: difference })
    .nullable()
    .describe('how it differs from the baseline; null: it is the baseline'),
  spent: z.array(measurement).describe('tokens/KIND and cost/CURRENCY; empty: nobody was asked'),
  faults: z.array(fault),
  measured,
});

/** What `lake leaderboard --json` prints. */
export const lakeLeaderboard = z.strictObject({
  as_of: moment,
  total: count,
  rows: z.array(leaderboardRow).describe('from the highest share of valid plans to the lowest'),
  truncated: z.literal(false),
  baseline: z.string().describe('whom the others are held against'),
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

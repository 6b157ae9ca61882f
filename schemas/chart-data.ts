// The data of the charts of a run: figures by stage and family as plain values, for files and for the page.
// A figure that was not recorded is null.
import { z } from 'zod';
import { count, stageNumber } from './primitives.ts';

const family = z.string().nullable().describe('null: all families');

const share = z.strictObject({ stage: stageNumber, family: z.string(), share: z.number() });

const rateAt = z
  .strictObject({
    suite: z.string(),
    split: z.string(),
    measure: z.string(),
    family,
    stage: stageNumber,
    value: z.number().nullable(),
    low: z.number().nullable().describe('the lower end of its 95 % interval'),
    high: z.number().nullable(),
    of: count.nullable(),
  })
  .describe('a rate of a suite after a stage');

const failuresAt = z.strictObject({
  stage: stageNumber,
  class: z.string(),
  count: count.nullable(),
  share: z.number().nullable(),
});

const signalAt = z.strictObject({
  stage: stageNumber,
  family,
  share: z.number().nullable().describe('share of sample groups whose rewards differ'),
  low: z.number().nullable().describe('the lower end of its 95 % interval'),
  high: z.number().nullable(),
  hasCollapsed: z.boolean().describe('whether an alert reports a collapse'),
});

const knobCourse = z.strictObject({
  knob: z.string(),
  family,
  values: z.array(z.strictObject({ stage: stageNumber, value: z.number().nullable(), isChanged: z.boolean() })),
});

export const chartData = z.strictObject({
  stages: z.array(stageNumber),
  families: z.array(z.string()).describe('in the order of the environment'),
  shares: z.array(share).describe('the task mixture of training data'),
  rates: z.array(rateAt),
  failures: z.array(failuresAt),
  failuresOf: z
    .enum(['failed', 'tries'])
    .describe('failed: shares of failed rollouts, which add up to 1; tries: shares of all rollouts')
    .nullable(),
  signal: z.array(signalAt),
  knobs: z.array(knobCourse),
});

export type ChartData = z.infer<typeof chartData>;
export type RateAt = ChartData['rates'][number];
export type SignalAt = ChartData['signal'][number];
export type KnobCourse = ChartData['knobs'][number];

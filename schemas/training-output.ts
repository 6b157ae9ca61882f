// What `icecore lake train --json` prints: a line of JSON for each progress report, and one at the end.
import { z } from 'zod';
import { checkpoint, component } from './parts.ts';
import { amounts, count, details, score, share } from './primitives.ts';
import { trainingFields } from './training.ts';

const curve = trainingFields.curve.unwrap();
const point = z
  .strictObject({ kind: z.literal('point'), point: curve.element })
  .describe('a reported update; when a training is resumed, earlier updates appear only in the last line');

const saved = z
  .strictObject({ kind: z.literal('saved'), checkpoint })
  .describe('a saved checkpoint from which the training can be resumed');

const family = z
  .strictObject({
    family: z.string(),
    asked: share.nullable().describe('share of the data by the configuration; null: not specified'),
    sampled: share.nullable().describe('share of the data that was sampled; null: the trainer does not report it'),
    instances: count.nullable().describe('number of sampled instances'),
    signal: score.nullable().describe('share of its sample groups whose rewards differ; null: not reported'),
    valid: share.nullable().describe('valid rate in the last tenth of the curve; null: not reported'),
  })
  .describe('one task family; in the lake one map size');

const trained = z
  .strictObject({
    kind: z.literal('trained'),
    folder: z.string().describe('the folder of results on the machine the command ran on'),
    isNew: z.boolean().describe('false: the training was already complete, so nothing was done'),
    environment: z.string(),
    trainer: component,
    configuration: details,
    from: checkpoint.nullable().describe('null: from scratch'),
    budget: amounts,
    seed: z.string(),
    spent: amounts,
    checkpoint: checkpoint.nullable().describe('null: none'),
    curve: curve.describe('the whole curve, also if the training was interrupted and resumed'),
    families: z.array(family),
    signal: trainingFields.learningSignal.unwrap(),
    results: trainingFields.results.unwrap().nullable().describe('figures of the training as a whole'),
    exit: trainingFields.exit.unwrap().nullable().describe('the exit of the program, if the trainer is one'),
    log: z.string().nullable().describe('the end of the output of the program'),
    seconds: z.number().nonnegative().nullable().describe('the time of this call; null: nothing was done'),
    perSecond: amounts.nullable().describe('the speed of this call by unit of the budget; null: nothing was done'),
  })
  .describe('the last line');

export const lakeTrain = z.discriminatedUnion('kind', [point, saved, trained]);

export type TrainLine = z.infer<typeof lakeTrain>;
export type TrainResult = z.infer<typeof trained>;
export type TrainFamily = z.infer<typeof family>;

// What `icecore lake train --json` prints: a line of JSON for everything that is told while it goes on, and one at the end.
import { z } from 'zod';
import { checkpoint, component } from './parts.ts';
import { amounts, count, details, score, share } from './primitives.ts';
import { trainingFields } from './training.ts';

const curve = trainingFields.curve.unwrap();
const point = z
  .strictObject({ kind: z.literal('point'), point: curve.element })
  .describe('an update, when it is told; where a training is gone on with, those before are told in the end only');

const saved = z.strictObject({ kind: z.literal('saved'), checkpoint }).describe('something can be gone on from');

const family = z
  .strictObject({
    family: z.string(),
    asked: share.nullable().describe('of the data, by the configuration; null: it does not say'),
    sampled: share.nullable().describe('of the data, as it was drawn; null: the trainer does not tell'),
    instances: count.nullable().describe('that were drawn'),
    signal: score.nullable().describe('in which share of its sample groups rewards differed; null: not told'),
    valid: share.nullable().describe('the share of valid plans in the last tenth of the curve; null: not told'),
  })
  .describe('one family of knobs: of the lake, one size');

const trained = z
  .strictObject({
    kind: z.literal('trained'),
    folder: z.string().describe('what it left, on the machine the command ran on'),
    isNew: z.boolean().describe('false: it was trained to its end before, and nothing was done'),
    environment: z.string(),
    trainer: component,
    configuration: details,
    from: checkpoint.nullable().describe('null: from nothing'),
    budget: amounts,
    seed: z.string(),
    spent: amounts,
    checkpoint: checkpoint.nullable().describe('null: it left none'),
    curve: curve.describe('whole, also where the training was stopped and gone on with'),
    families: z.array(family),
    signal: trainingFields.learningSignal.unwrap(),
    results: trainingFields.results.unwrap().nullable().describe('figures of the training as a whole'),
    exit: trainingFields.exit.unwrap().nullable().describe('of the program, where it was one'),
    log: z.string().nullable().describe('the last a program said'),
    seconds: z.number().nonnegative().nullable().describe('this time; null: nothing was done'),
    perSecond: amounts.nullable().describe('this time, by unit of the budget; null: nothing was done'),
  })
  .describe('the last line');

export const lakeTrain = z.discriminatedUnion('kind', [point, saved, trained]);

export type TrainLine = z.infer<typeof lakeTrain>;
export type TrainResult = z.infer<typeof trained>;
export type TrainFamily = z.infer<typeof family>;

// The `--json` output of the commands that drive a run by hand.
import { z } from 'zod';
import { type EventData, eventTypes, type TypeName } from './catalogue.ts';
import type { EventType } from './family.ts';
import { checkpoint, measurement } from './parts.ts';
import { amounts, count, details, name, runId, stageNumber, stream, uuid } from './primitives.ts';

/** The data of an event in its current version. */
function dataOf(type: TypeName): z.ZodObject {
  const { versions } = eventTypes.get(type) as EventType;
  return versions[versions.length - 1] as z.ZodObject;
}

const ofRun = { ledger: z.string(), run: runId, name } as const;

const recorded = z.strictObject({ event: uuid, stream, revision: count }).describe('the recorded event');

export const context = dataOf('ContextRecorded')
  .extend({
    ...ofRun,
    stage: stageNumber.describe('the stage that is configured'),
    recorded: recorded.nullable().describe('null: built just now and not recorded'),
  })
  .describe('a context: the data of its ContextRecorded event with its text');

export const propose = z
  .strictObject({
    ...ofRun,
    stage: stageNumber.describe('the stage that is configured'),
    context: z
      .strictObject({ form: name.describe('a preset, or modules with commas between them'), tokens: count })
      .nullable()
      .describe('the context the engineer was shown; null: none'),
    proposed: dataOf('ProposalRecorded').nullable().describe('null: there was no usable proposal'),
    rejected: dataOf('ProposalRejected').nullable().describe('an unusable answer'),
    recorded: recorded.nullable().describe('null with --dry-run'),
    out: z.string().nullable().describe('the file for icecore adopt; null: none was written'),
  })
  .describe('the proposal of an engineer');

export const adopt = z
  .strictObject({
    ...ofRun,
    stage: stageNumber.describe('the stage that is configured'),
    adopted: dataOf('ConfigAdopted'),
    leftOut: z
      .array(name)
      .describe("knobs with other values than the engineer proposed: the engineer's reasons for them were left out"),
    recorded,
    next: z.string().describe('the next command'),
  })
  .describe('the decision');

export const stageStart = z
  .strictObject({
    protocol: z.literal(1),
    run: runId,
    name,
    stage: stageNumber,
    stages: count.describe('number of planned stages'),
    environment: name,
    configuration: details.describe('the training configuration'),
    hyperparameters: z
      .record(name, z.number())
      .describe('the hyper-parameters that are knobs of the run, with their values for this stage')
      .optional(),
    budget: amounts.describe('the training budget, by unit'),
    seed: z.string(),
    from: checkpoint.nullable().describe('the checkpoint to start from; null: from scratch'),
    folder: z.string().describe('an existing folder for this training alone'),
    resume: z.null(),
  })
  .describe('what is to be trained: the input of a trainer, with the run and the stage');

export const stageFinish = z
  .strictObject({
    ...ofRun,
    stage: stageNumber.describe('the finished stage'),
    ended: z
      .enum(['stage', 'completed', 'waiting'])
      .describe('stage: the next stage is due; waiting: a person has to decide, with icecore adopt'),
    checkpoint: name.nullable().describe('the checkpoint after the stage'),
    results: z.array(measurement).describe('its headline figures'),
    spent: amounts,
    next: z.string().nullable().describe('the next command; null: nothing is left to do'),
  })
  .describe('the state of the run');

type ContextData = EventData['ContextRecorded'];

/** The output of `icecore context --json`: a context with its full text. */
export interface ContextResult
  extends ContextData,
    Pick<z.infer<typeof propose>, keyof typeof ofRun | 'stage' | 'recorded'> {
  readonly text: { text: string };
}

/** The output of `icecore propose --json`; `proposed` is null if there was no usable proposal. */
export interface ProposeResult extends Omit<z.infer<typeof propose>, 'proposed' | 'rejected'> {
  readonly proposed: EventData['ProposalRecorded'] | null;
  readonly rejected: EventData['ProposalRejected'] | null;
}

/** The output of `icecore adopt --json`: the adopted configuration and the next command. */
export interface AdoptResult extends Omit<z.infer<typeof adopt>, 'adopted'> {
  readonly adopted: EventData['ConfigAdopted'];
}

/** The output of `icecore stage start`: everything a trainer needs to train the stage. */
export type StageSpec = z.infer<typeof stageStart>;
/** The output of `icecore stage finish --json`: the results of the stage, and whether another one is due. */
export type StageFinished = z.infer<typeof stageFinish>;

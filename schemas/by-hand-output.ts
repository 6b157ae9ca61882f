// What the verbs of a run that is driven by hand print with `--json`.
import { z } from 'zod';
import { type EventData, eventTypes, type TypeName } from './catalogue.ts';
import type { EventType } from './family.ts';
import { checkpoint, measurement } from './parts.ts';
import { amounts, count, details, name, runId, stageNumber, stream, uuid } from './primitives.ts';

/** The data of an event, as it is written now. */
function dataOf(type: TypeName): z.ZodObject {
  const { versions } = eventTypes.get(type) as EventType;
  return versions[versions.length - 1] as z.ZodObject;
}

const ofRun = { ledger: z.string(), run: runId, name } as const;

const recorded = z.strictObject({ event: uuid, stream, revision: count }).describe('where it was recorded');

export const context = dataOf('ContextRecorded')
  .extend({
    ...ofRun,
    stage: stageNumber.describe('the stage that is configured'),
    recorded: recorded.nullable().describe('null: it was built now and is not recorded'),
  })
  .describe('a context: the data of its ContextRecorded, with its text');

export const propose = z
  .strictObject({
    ...ofRun,
    stage: stageNumber.describe('the stage that is configured'),
    context: z
      .strictObject({ form: name.describe('a preset, or modules with commas between them'), tokens: count })
      .nullable()
      .describe('what the engineer was shown; null: nothing'),
    proposed: dataOf('ProposalRecorded').nullable().describe('null: nothing that could be used was proposed'),
    rejected: dataOf('ProposalRejected').nullable().describe('what could not be used'),
    recorded: recorded.nullable().describe('null with --dry-run'),
    out: z.string().nullable().describe('the file that icecore adopt takes; null where none was written'),
  })
  .describe('what an engineer proposed');

export const adopt = z
  .strictObject({
    ...ofRun,
    stage: stageNumber.describe('the stage that is configured'),
    adopted: dataOf('ConfigAdopted'),
    recorded,
    next: z.string().describe('the command that goes on'),
  })
  .describe('what was decided');

export const stageStart = z
  .strictObject({
    protocol: z.literal(1),
    run: runId,
    name,
    stage: stageNumber,
    stages: count.describe('how many there are to be'),
    environment: name,
    configuration: details.describe('what to train on'),
    hyperparameters: z
      .record(name, z.number())
      .describe('the hyper-parameters that are knobs of the run, as they are set for this stage')
      .optional(),
    budget: amounts.describe('what may be spent, by unit'),
    seed: z.string(),
    from: checkpoint.nullable().describe('the checkpoint to start from; null: from nothing'),
    folder: z.string().describe('a folder of this training alone, which is there'),
    resume: z.null(),
  })
  .describe('what is to be trained: what a trainer is told, with the run and the stage');

export const stageFinish = z
  .strictObject({
    ...ofRun,
    stage: stageNumber.describe('the stage that was finished'),
    ended: z
      .enum(['stage', 'completed', 'waiting'])
      .describe('stage: the next one is due; waiting: a person is to decide, with icecore adopt'),
    checkpoint: name.nullable().describe('what the stage left'),
    results: z.array(measurement).describe('its headline figures'),
    spent: amounts,
    next: z.string().nullable().describe('the command that goes on; null: nothing is left to do'),
  })
  .describe('where a run came to');

type ContextData = EventData['ContextRecorded'];

/** What `icecore context --json` prints: a context with its full text. */
export interface ContextResult
  extends ContextData,
    Pick<z.infer<typeof propose>, keyof typeof ofRun | 'stage' | 'recorded'> {
  readonly text: { text: string };
}

/** What `icecore propose --json` prints; `proposed` is null when nothing usable was proposed. */
export interface ProposeResult extends Omit<z.infer<typeof propose>, 'proposed' | 'rejected'> {
  readonly proposed: EventData['ProposalRecorded'] | null;
  readonly rejected: EventData['ProposalRejected'] | null;
}

/** What `icecore adopt --json` prints: the adopted configuration, and the next command. */
export interface AdoptResult extends Omit<z.infer<typeof adopt>, 'adopted'> {
  readonly adopted: EventData['ConfigAdopted'];
}

/** What `icecore stage start` prints: everything a trainer needs to train the stage. */
export type StageSpec = z.infer<typeof stageStart>;
/** What `icecore stage finish --json` prints: the results of the stage, and whether another one is due. */
export type StageFinished = z.infer<typeof stageFinish>;

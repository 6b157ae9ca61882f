// What a person needs to decide the next configuration of a run, and the decision as it is sent over HTTP.
import { z } from 'zod';
import { nextFile } from './next-file.ts';
import { cites, configuration, reason } from './parts.ts';
import { actor, count, digest, evidenceId, moment, name, runId, uuid } from './primitives.ts';
import { runStates } from './run-output.ts';

const knob = z.strictObject({
  knob: name,
  meaning: z.string(),
  family: z.string().nullable().describe('null: all families'),
  value: z.number().nullable().describe('in the configuration in force; null: it has none'),
  min: z.number(),
  max: z.number(),
  step: z.number().describe('the smallest meaningful change'),
  integer: z.boolean(),
  harder: z.enum(['more', 'less']).nullable().describe('whether tasks get harder with more of it or with less'),
  may_change: z.boolean().describe('false: its range has a single value'),
});

const proposal = z.strictObject({
  event: uuid,
  at: moment,
  actor,
  engineer: z.string(),
  context: digest.nullable().describe('the context that it cites; null: none was shown'),
  configuration,
  changes: z.array(z.strictObject({ knob: name, from: z.number().nullable(), to: z.number(), reason, cites })),
  rationale: reason,
});

export const nextDecision = z.strictObject({
  ledger: z.string().describe('the URL of the ledger'),
  run: runId,
  name: z.string(),
  environment: z.string(),
  engineer: z.string().nullable().describe('who decides in this run'),
  state: z.enum(runStates),
  stage: count.describe('the stage that is configured'),
  stages: count.describe('number of planned stages'),
  due: z.boolean().describe('whether it can be decided now'),
  note: z.string().nullable().describe('why it cannot; null: it can'),
  waiting: z.boolean().describe('whether the run waits for a person to decide'),
  own: z.boolean().describe('false: another program recorded the run, so icecore can neither continue nor fork it'),
  holder: z.string().nullable().describe('the process that runs it and would have to stop first'),
  current: digest.describe(
    'of the configuration in force: send it back with the decision, which is refused if it changed',
  ),
  configuration: configuration.shape.whole.describe('the configuration in force, that of the stage before'),
  knobs: z.array(knob).describe('in the order of the environment'),
  shares: z
    .array(z.strictObject({ knobs: z.array(name), total: z.number() }))
    .describe('knobs that are shares of a whole, with the sum they must have'),
  proposals: z.array(proposal).describe('recorded for this stage, oldest first'),
  contexts: z
    .array(z.strictObject({ event: uuid, digest, form: z.string(), evidence_ids: count.describe('that can be cited') }))
    .describe('recorded for this decision: reasons can cite evidence ids of these'),
});

/** The body of a decision over HTTP: a file of icecore propose, or only what changes. */
export const decisionSent = nextFile
  .omit({ run: true })
  .extend({
    configuration: nextFile.shape.configuration.optional(),
    changes: z
      .record(name.describe('a knob'), z.number())
      .describe('instead of a whole configuration: new values of knobs; the others stay as they are')
      .optional(),
    reason: z.string().describe('why, for the decision as a whole; the same as rationale').optional(),
    cites: z.array(evidenceId).describe('the evidence behind every change for which reasons names none').optional(),
    actor: actor.describe('who decides (default: the user of the server)').optional(),
  })
  .meta({
    description: 'the decision: either configuration or changes',
    oneOf: [{ required: ['configuration'] }, { required: ['changes'] }],
  });

/** What a person needs to decide the next configuration of a run. */
export type NextDecision = z.infer<typeof nextDecision>;
/** A decision by what changes in the configuration, or by the whole of it, with its reasons. */
export type DecisionSent = z.infer<typeof decisionSent>;

// What `icecore why` prints, and what reports are made from: how a stage was configured, each changed knob with the cited
// evidence down to single rollouts, and the results of its family afterwards. Values that were not recorded are null.
import { z } from 'zod';
import { split } from './evidence.ts';
import { alert, engineer, reason } from './parts.ts';
import { actor, count, digest, evidenceId, moment, runId, score, stageNumber, stream, uuid } from './primitives.ts';
import { changedByPerson, clamp, rate, unknownEvents } from './run-output.ts';

const family = z.string().nullable().describe('null: all families');

const event = z
  .strictObject({ event: uuid, stream: stream.nullable(), revision: count.nullable() })
  .describe('an event with its stream and revision; null: unknown in this ledger');

/** The values of knob_changes.rests_on. */
const restsOn = ['its family', 'in part', 'another family', 'unknown', 'nothing', 'no context'] as const;

const evidenceStates = ['shown', 'unreadable', 'not-shown', 'no-context'] as const;

const figure = z
  .strictObject({
    measure: z.string(),
    about: z.string().nullable().describe('the failure class, agents or knob that it concerns'),
    value: score,
    count: count.nullable().describe('the numerator of a rate'),
    of: count.nullable().describe('the denominator of a rate'),
    low: z.number().nullable().describe('the lower end of its interval'),
    high: z.number().nullable(),
    splits: z.array(split).describe('the splits of the rollouts it is computed from; empty: unknown'),
  })
  .describe('the figure that an evidence id refers to');

const evidence = z
  .strictObject({
    evidenceId,
    status: z
      .enum(evidenceStates)
      .describe(
        'unreadable: it was shown, but its source is missing or unreadable here; no-context: the shown context is unknown',
      ),
    note: z.string().nullable().describe('what is missing, in words'),
    module: z.string().nullable().describe('the context module that contains it'),
    family: z.string().nullable().describe('null: all families, or unknown'),
    concerns: z
      .enum(['its family', 'in part', 'another family'])
      .nullable()
      .describe(
        'its relation to the knob. in part: all families for a knob of one family, or one family for a knob of all',
      ),
    counts: z
      .boolean()
      .nullable()
      .describe(
        'whether it describes the behaviour of the policy; the objective, a knob or a self-summary of the policy do not',
      ),
    events: z.array(event).describe('what it refers to: a summary, a rollout and its failure, an evaluation'),
    figure: figure.nullable().describe('null: it refers to a rollout or a text, or its figure is unknown'),
    since: figure.nullable().describe('the same figure after the stage that the change configured'),
    text: z.string().nullable().describe('its text, if it is neither a figure nor a rollout'),
    exemplars: z
      .array(evidenceId)
      .describe(
        'evidence ids of rollouts it leads to: itself, or for a figure the shown rollouts of its family and class',
      ),
  })
  .describe('a cited evidence id');

const reasons = {
  says: reason,
  cites: z.array(evidenceId).nullable().describe('the cited evidence ids; null: not stated'),
  restsOn: z.enum(restsOn).describe('the best relation of the cited evidence to the knob, as in knob_changes'),
  ground: z
    .number()
    .nullable()
    .describe(
      'the share of the cited evidence that concerns the change, before the citation score corrects it for chance; null: nothing could be cited',
    ),
  verdict: z.string().describe('both as a sentence'),
  evidence: z.array(evidence).describe('with --detail 2 or more'),
} as const;

const change = z
  .strictObject({
    knob: z.string(),
    meaning: z.string().nullable(),
    family,
    from: z.number().nullable().describe('null: it had no value'),
    to: z.number().nullable().describe('null: it has no value any more'),
    steps: z.number().nullable().describe('the change in steps of the knob; null: the step is unknown'),
    direction: z.enum(['up', 'down']).nullable(),
    harder: z.enum(['more', 'less']).nullable().describe('whether tasks get harder with more of it or with less'),
    makes: z.enum(['harder', 'easier']).nullable().describe('whether the change makes its tasks harder or easier'),
    clamps: z
      .array(z.strictObject({ proposed: z.number(), used: z.number(), rule: z.string() }))
      .describe('if the proposed value was changed to an allowed one'),
    ...reasons,
  })
  .describe('a changed knob');

const kept = z
  .strictObject({ knob: z.string(), family, value: z.number().nullable(), ...reasons })
  .describe('a knob kept on purpose');

const turn = z.strictObject({ stage: stageNumber, from: z.number().nullable(), to: z.number().nullable() });

const unchanged = z
  .strictObject({
    knob: z.string(),
    family,
    value: z.number().nullable(),
    last: turn.nullable().describe('its last change before; null: never before'),
    next: turn.nullable().describe('its next change; null: never since'),
  })
  .describe('a requested knob without a change');

const course = z
  .strictObject({
    before: rate.describe('in the stage before'),
    after: rate.describe('in the stage itself'),
    gain: z.number().nullable(),
    overlap: z.boolean().nullable().describe('whether their intervals overlap; null: one has none'),
    missing: z.string().nullable().describe('why there is nothing to compare; null: there is'),
  })
  .describe('a rate before and after');

const effect = z
  .strictObject({
    family: z.string().nullable().describe('null: all families'),
    validation: course.describe('the valid rate on the validation suite'),
    probe: course.describe('the valid rate on the probe pool, as summarized for engineers'),
    signal: course.describe('share of its sample groups whose rewards differ in training'),
  })
  .describe('the results of a family after its knobs were changed');

const exemplar = z
  .strictObject({
    evidenceId,
    family: z.string().nullable(),
    class: z.string().nullable(),
    says: z.string().nullable(),
    rollout: event,
    failure: event.nullable(),
    stage: stageNumber.nullable().describe('the stage of the rollout'),
    split: z.string().nullable(),
    outcome: z.string().nullable(),
    failures: z
      .array(z.strictObject({ class: z.string(), step: count.nullable(), says: z.string().nullable() }))
      .describe('in order'),
    drawing: z.string().nullable().describe('a drawing of the failure'),
    drawn: z
      .enum(['recorded', 'again'])
      .nullable()
      .describe('recorded: as the engineer saw it; again: drawn now by its environment'),
    note: z.string().nullable().describe('what is missing, in words'),
  })
  .describe('an exemplar: one rollout that represents many');

const uncited = z
  .strictObject({
    ...exemplar.shape,
    evidenceId: evidenceId.nullable().describe('its evidence id in the context; null: it has none'),
    wasShown: z
      .boolean()
      .nullable()
      .describe('whether the engineer was shown it; null: unknown, or no engineer was asked'),
    behind: evidenceId
      .nullable()
      .describe('the cited figure of a failure class that it is an example of; null: it is behind no cited figure'),
  })
  .describe('a failed rollout that no evidence id of the change leads to');

const decision = z.strictObject({
  by: z.enum(['engineer', 'human', 'initial', 'kept', 'errored']).nullable().describe('null: no decision was recorded'),
  who: z.string().nullable().describe('the engineer or the person who decided'),
  engineer: engineer.nullable().describe('as recorded in its proposal'),
  otherModels: z
    .array(z.strictObject({ asked: z.string(), reported: z.string() }))
    .describe('models that answered, as their endpoint reports them, where they are not the ones that were asked'),
  actor: actor.nullable().describe('the actor who recorded the decision'),
  at: moment.nullable(),
  adopted: event.nullable().describe('the ConfigAdopted'),
  recordedBy: z.string().nullable().describe('the run that recorded it, which may be the parent of a fork'),
  proposal: event.nullable().describe('the ProposalRecorded'),
  ...changedByPerson,
  context: z
    .strictObject({
      digest,
      form: z.string().nullable(),
      event: event.nullable().describe('the ContextRecorded'),
      isKnown: z.boolean().describe('false: it is missing or unreadable here'),
      isUsual: z.boolean().describe('whether it equals the output of icecore context for the stage before'),
      evidenceIds: count.describe('number of citable evidence ids'),
    })
    .nullable()
    .describe('the context that was shown; null: none, or unknown'),
  clamps: z.array(clamp).describe('of all its knobs, also of those that did not change'),
  says: reason.describe('the overall reasoning'),
  citation: z
    .number()
    .nullable()
    .describe('the citation score of the proposal; null also where a person changed values or reasons of it'),
  preservation: z.number().nullable().describe('its preservation score'),
});

const rejection = z.strictObject({
  event: uuid,
  engineer: z.string(),
  reason: z.string(),
  issues: z.array(z.strictObject({ field: z.string(), found: z.string(), allowed: z.string() })),
});

const error = z.strictObject({ event: uuid, engineer: z.string(), kind: z.string(), message: z.string() });

const passedOver = z
  .strictObject({ event: uuid, engineer: z.string(), changes: count, says: reason })
  .describe('proposals for the stage that were not adopted');

const note = z.strictObject({ event: uuid, at: moment, actor, knob: z.string().nullable(), says: z.string() });

export const why = z.strictObject({
  ledger: z.string().describe('the URL of the ledger'),
  run: runId,
  name: z.string(),
  environment: z.string().nullable(),
  stage: stageNumber,
  isBegun: z.boolean(),
  isOver: z.boolean(),
  isShared: z.boolean().describe('true: it belongs to the shared history of the parent run'),
  asked: z.string().nullable().describe('the requested knob or family; null: all'),
  depth: z
    .int()
    .min(1)
    .max(4)
    .describe(
      '1: knobs; 2: with the cited evidence ids; 3: with their figures; 4: with rollouts. Deeper levels are left out',
    ),
  decision,
  changes: z.array(change).describe('by family, biggest first'),
  changed: count.describe('number of changed knobs, even if one knob was requested'),
  unchanged: z.array(unchanged),
  kept: z.array(kept).nullable().describe('null: not stated'),
  effects: z.array(effect).describe('for all families together, and for each family with listed knobs'),
  alerts: z
    .array(z.strictObject({ stage: stageNumber, ...alert.shape }))
    .describe('for the stage before and for the stage itself'),
  exemplars: z.array(exemplar),
  uncited: uncited
    .nullable()
    .describe(
      'with --detail 4, if the first change leads to no exemplar, or cites failure classes and leads to none of these classes: a failed rollout of the first class in the probe evidence of the stage before; otherwise one of its family that was shown, or the first in that evidence. null: there is none, or it is not needed',
    ),
  legend: z
    .string()
    .nullable()
    .describe('how to read the drawings; null: nothing is drawn, or the environment does not say'),
  rejections: z.array(rejection).describe('unusable answers before the decision'),
  errors: z.array(error).describe('errors of engineers before the decision'),
  passedOver: z.array(passedOver),
  notes: z.array(note).describe('notes on the stage, its decision or one of these knobs'),
  opaque: unknownEvents,
});

/** The output of `icecore why --json`: how a stage was configured, with the evidence for each change. */
export type Why = z.infer<typeof why>;
export type WhyDecision = Why['decision'];
export type WhyChange = Why['changes'][number];
export type WhyKept = NonNullable<Why['kept']>[number];
export type WhyUnchanged = Why['unchanged'][number];
export type WhyReasons = Pick<WhyChange, keyof typeof reasons>;
export type WhyEvidence = WhyChange['evidence'][number];
export type WhyFigure = z.infer<typeof figure>;
export type WhyExemplar = Why['exemplars'][number];
export type WhyUncited = NonNullable<Why['uncited']>;
export type WhyEffect = Why['effects'][number];
export type WhyCourse = WhyEffect['validation'];
export type WhyEvent = z.infer<typeof event>;
export type RestsOn = (typeof restsOn)[number];

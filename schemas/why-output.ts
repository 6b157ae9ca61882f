// What `icecore why` prints, and what reports tell it from: how the configuration of a stage came about, each knob that was
// turned with the evidence it rests on, down to single rollouts, and what its family did then. What nobody recorded is null.
import { z } from 'zod';
import { alert, engineer, reason } from './parts.ts';
import { actor, count, digest, evidenceId, moment, runId, score, stageNumber, stream, uuid } from './primitives.ts';
import { rate, unknownEvents } from './run-output.ts';

const family = z.string().nullable().describe('null: it concerns all of them');

const event = z
  .strictObject({ event: uuid, stream: stream.nullable(), revision: count.nullable() })
  .describe('an event, and where it stands; null where this ledger cannot tell');

/** The words of knob_changes.rests_on. */
const restsOn = ['its family', 'in part', 'another family', 'unknown', 'nothing', 'no context'] as const;

const evidenceStates = ['shown', 'unreadable', 'not-shown', 'no-context'] as const;

const figure = z
  .strictObject({
    measure: z.string(),
    about: z.string().nullable().describe('the failure class, agents or knob it is about'),
    value: score,
    count: count.nullable().describe('how many had it'),
    of: count.nullable().describe('out of how many'),
    low: z.number().nullable().describe('the lower end of its interval'),
    high: z.number().nullable(),
  })
  .describe('the figure that an evidence id stands for');

const evidence = z
  .strictObject({
    evidenceId,
    status: z
      .enum(evidenceStates)
      .describe(
        'unreadable: it was shown, and what stands behind it is not here or cannot be read; no-context: nobody knows what was shown',
      ),
    note: z.string().nullable().describe('what is missing, in words'),
    module: z.string().nullable().describe('the part of the context it stands in'),
    family: z.string().nullable().describe('null: it is of all families, or nobody knows of which'),
    concerns: z
      .enum(['its family', 'in part', 'another family'])
      .nullable()
      .describe('what it has to do with the knob. in part: all families for a knob of one, or one for a knob of all'),
    counts: z
      .boolean()
      .nullable()
      .describe(
        'whether it tells of what the policy did: the objective, a knob or what the policy says of itself do not',
      ),
    events: z.array(event).describe('what it stands for: a summary, a rollout and its failure, an evaluation'),
    figure: figure.nullable().describe('null: it stands for a rollout or a text, or its figure is not known'),
    since: figure.nullable().describe('the same figure after the stage the knob was turned for'),
    text: z.string().nullable().describe('what stands there, where it is neither a figure nor a rollout'),
    exemplars: z
      .array(evidenceId)
      .describe(
        'rollouts it leads to, by evidence id: itself; of a figure, those of its family and class that were shown',
      ),
  })
  .describe('an evidence id that is cited');

const reasons = {
  says: reason,
  cites: z.array(evidenceId).nullable().describe('the evidence ids that are cited; null where nobody said'),
  restsOn: z.enum(restsOn).describe('the best of what is cited, as in knob_changes'),
  ground: z
    .number()
    .nullable()
    .describe(
      'the share of the evidence it cites that bears on it, before the citation score corrects it for chance; null where nothing could be cited',
    ),
  verdict: z.string().describe('both in words'),
  evidence: z.array(evidence).describe('from --detail 2 on'),
} as const;

const change = z
  .strictObject({
    knob: z.string(),
    meaning: z.string().nullable(),
    family,
    from: z.number().nullable().describe('null where it had no value'),
    to: z.number().nullable().describe('null where it has none any more'),
    steps: z.number().nullable().describe("by how many of the knob's steps; null where its step is not known"),
    direction: z.enum(['up', 'down']).nullable(),
    harder: z.enum(['more', 'less']).nullable().describe('whether tasks get harder with more of it or with less'),
    makes: z.enum(['harder', 'easier']).nullable().describe('what that direction makes of its tasks'),
    clamps: z
      .array(z.strictObject({ proposed: z.number(), used: z.number(), rule: z.string() }))
      .describe('where another value was proposed'),
    ...reasons,
  })
  .describe('a knob that was turned');

const kept = z
  .strictObject({ knob: z.string(), family, value: z.number().nullable(), ...reasons })
  .describe('a knob that was kept on purpose');

const turn = z.strictObject({ stage: stageNumber, from: z.number().nullable(), to: z.number().nullable() });

const unchanged = z
  .strictObject({
    knob: z.string(),
    family,
    value: z.number().nullable(),
    last: turn.nullable().describe('when it was turned last; null: never before'),
    next: turn.nullable().describe('when it is turned next; null: never since'),
  })
  .describe('a knob that was asked for and was not turned');

const course = z
  .strictObject({
    before: rate.describe('in the stage before'),
    after: rate.describe('in the stage itself'),
    gain: z.number().nullable(),
    overlap: z.boolean().nullable().describe('whether their intervals overlap; null where one has none'),
    missing: z.string().nullable().describe('why there is nothing to compare; null where there is'),
  })
  .describe('a share before and after');

const effect = z
  .strictObject({
    family: z.string().nullable().describe('null: all of them'),
    validation: course.describe('how often the policy succeeds at the validation suite'),
    probe: course.describe('how often it succeeds at the probe pool, as it was summed up for engineers'),
    signal: course.describe('the share of its sample groups whose rewards differed in training'),
  })
  .describe('what a family did after its knobs were turned');

const exemplar = z
  .strictObject({
    evidenceId,
    family: z.string().nullable(),
    class: z.string().nullable(),
    says: z.string().nullable(),
    rollout: event,
    failure: event.nullable(),
    stage: stageNumber.nullable().describe('the stage it was tried in'),
    split: z.string().nullable(),
    outcome: z.string().nullable(),
    failures: z
      .array(z.strictObject({ class: z.string(), step: count.nullable(), says: z.string().nullable() }))
      .describe('in the order they happened'),
    drawing: z.string().nullable().describe('what it looked like when it failed'),
    drawn: z
      .enum(['recorded', 'again'])
      .nullable()
      .describe('recorded: as the engineer saw it; again: by its environment, now'),
    note: z.string().nullable().describe('what is missing of it, in words'),
  })
  .describe('a rollout that stands for many');

const decision = z.strictObject({
  by: z.enum(['engineer', 'human', 'initial', 'kept', 'errored']).nullable().describe('null: no decision was recorded'),
  who: z.string().nullable().describe('the engineer that was asked, or the person'),
  engineer: engineer.nullable().describe('as it stands in its proposal'),
  actor: actor.nullable().describe('who recorded the decision'),
  at: moment.nullable(),
  adopted: event.nullable().describe('the ConfigAdopted'),
  recordedBy: z.string().nullable().describe('the run that recorded it; a fork may share the decision of its parent'),
  proposal: event.nullable().describe('the ProposalRecorded'),
  context: z
    .strictObject({
      digest,
      form: z.string().nullable(),
      event: event.nullable().describe('the ContextRecorded'),
      isKnown: z.boolean().describe('false: it is not here, or cannot be read'),
      isUsual: z.boolean().describe('whether it is what icecore context prints of the stage before'),
      evidenceIds: count.describe('how many could be cited'),
    })
    .nullable()
    .describe('what was shown; null where nothing was, or nobody said'),
  says: reason.describe('the reasoning as a whole'),
  citation: z.number().nullable().describe('the citation score of the proposal'),
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
  .describe('what was proposed for the stage and not adopted');

const note = z.strictObject({ event: uuid, at: moment, actor, knob: z.string().nullable(), says: z.string() });

export const why = z.strictObject({
  ledger: z.string().describe('the URL of the ledger'),
  run: runId,
  name: z.string(),
  environment: z.string().nullable(),
  stage: stageNumber,
  isBegun: z.boolean(),
  isOver: z.boolean(),
  isShared: z.boolean().describe('true: it belongs to the history of the run this one is a fork of'),
  asked: z.string().nullable().describe('the knob or family that was asked for; null: all'),
  depth: z
    .int()
    .min(1)
    .max(4)
    .describe(
      '1: knobs; 2: with the evidence ids they rest on; 3: with their figures; 4: with rollouts. What lies deeper is left out',
    ),
  decision,
  changes: z.array(change).describe('by family, the biggest first'),
  turned: count.describe('how many knobs were turned, also where one was asked for'),
  unchanged: z.array(unchanged),
  kept: z.array(kept).nullable().describe('null where nobody said what is kept'),
  effects: z.array(effect).describe('over all families, and of each whose knobs are told of'),
  alerts: z
    .array(z.strictObject({ stage: stageNumber, ...alert.shape }))
    .describe('of the stage before and of the stage itself'),
  exemplars: z.array(exemplar),
  rejections: z.array(rejection).describe('answers that could not be used, before the decision'),
  errors: z.array(error).describe('what kept engineers from answering, before the decision'),
  passedOver: z.array(passedOver),
  notes: z.array(note).describe('what people noted about the stage, its decision or one of these knobs'),
  opaque: unknownEvents,
});

/** What `icecore why --json` prints: how the configuration of a stage came about, with the evidence for each change. */
export type Why = z.infer<typeof why>;
export type WhyDecision = Why['decision'];
export type WhyChange = Why['changes'][number];
export type WhyKept = NonNullable<Why['kept']>[number];
export type WhyUnchanged = Why['unchanged'][number];
export type WhyReasons = Pick<WhyChange, keyof typeof reasons>;
export type WhyEvidence = WhyChange['evidence'][number];
export type WhyFigure = z.infer<typeof figure>;
export type WhyExemplar = Why['exemplars'][number];
export type WhyEffect = Why['effects'][number];
export type WhyCourse = WhyEffect['validation'];
export type WhyEvent = z.infer<typeof event>;
export type RestsOn = (typeof restsOn)[number];

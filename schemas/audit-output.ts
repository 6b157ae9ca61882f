// What `icecore audit` prints: every change of every decision of a run, with its reason, whether its citation holds, and what
// its family did afterwards. What is not recorded is null.
import { z } from 'zod';
import { count, evidenceId, moment, runId, stageNumber } from './primitives.ts';
import { why } from './why-output.ts';

const whyDecision = why.shape.decision.shape;
const whyChange = why.shape.changes.element.shape;
const { validation } = why.shape.effects.element.shape;

const decision = z
  .strictObject({
    stage: stageNumber.describe('the stage that it configured'),
    by: whyDecision.by,
    who: whyDecision.who,
    at: moment.nullable(),
    adopted: whyDecision.adopted,
    recordedBy: whyDecision.recordedBy,
    proposedBy: z.string().nullable().describe('the engineer whose proposal was adopted, edited or not'),
    edited: whyDecision.edited,
    ownReasons: whyDecision.ownReasons,
    context: z.string().nullable().describe('the context form that was shown'),
    reason: whyDecision.says,
    citation: whyDecision.citation,
    changes: count,
    clamps: whyDecision.clamps,
    validation: validation.describe('over all families'),
  })
  .describe('a decision');

const change = z
  .strictObject({
    stage: stageNumber.describe('the stage that the decision configured'),
    knob: whyChange.knob,
    family: whyChange.family,
    from: whyChange.from,
    to: whyChange.to,
    reason: whyChange.says,
    cites: z.array(evidenceId).nullable().describe('the evidence ids that are cited; null where none were asked for'),
    holds: z
      .boolean()
      .nullable()
      .describe('whether evidence that it cites was shown and concerns it; null where the context is not recorded'),
    restsOn: whyChange.restsOn,
    validation: validation.describe('of the family of the knob, or over all families'),
  })
  .describe('a change of a knob');

export const audit = z.strictObject({
  ledger: z.string().describe('the URL of the ledger'),
  run: runId,
  name: z.string(),
  environment: z.string().nullable(),
  as_of: moment,
  decisions: z.array(decision).describe('stage by stage, also those that changed nothing'),
  changes: z.array(change).describe('decision by decision, the largest first'),
});

/** What `icecore audit --json` prints: all changes of a run, their reasons, and whether these hold. */
export type Audit = z.infer<typeof audit>;
export type AuditedDecision = Audit['decisions'][number];
export type AuditedChange = Audit['changes'][number];

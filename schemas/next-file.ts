// A file with the configuration of the next stage and its reasons: `icecore propose --output` writes one, a person may edit it,
// and `icecore adopt` reads it.
import { z } from 'zod';
import { reason } from './parts.ts';
import { details, digest, evidenceId, name, stageNumber, uuid } from './primitives.ts';

const reasons = z.record(
  name.describe('a knob'),
  z.strictObject({ cites: z.array(evidenceId).nullable().optional(), reason: reason.optional() }),
);

export const nextFile = z.strictObject({
  run: name.describe('the run it is for').optional(),
  stage: stageNumber.describe('the stage that it configures').optional(),
  current: digest.describe('of the configuration it changes: that of the stage before').optional(),
  context: digest.nullable().describe('the context whose evidence ids are cited; null: no context').optional(),
  proposal: uuid.nullable().describe('the ProposalRecorded it comes from; null: not recorded').optional(),
  configuration: details.describe('the whole configuration of the stage'),
  reasons: reasons.describe('the reasons for changes, by knob').optional(),
  kept: reasons.describe('the reasons for keeping knobs').optional(),
  rationale: reason.optional(),
});

export type NextFile = z.infer<typeof nextFile>;

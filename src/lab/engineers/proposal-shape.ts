// The shape of a proposal as engineers write it that are not part of icecore: models and programs. All but the
// configuration may be left out.
import { z } from 'zod';
import type { Issue } from '../../../schemas/errors.ts';
import type { JsonSchema } from '../../../schemas/phrase.ts';
import { details, name, share } from '../../../schemas/primitives.ts';
import { translate } from '../../../schemas/translate.ts';

const reason = z.strictObject({
  knob: name,
  because: z.array(z.string()).nullable().optional(),
  says: z.string().nullable().optional(),
});

const prediction = z.strictObject({ group: name, measure: name.optional(), value: share });

const proposal = z.strictObject({
  configuration: details,
  reasons: z.array(reason).nullable().optional(),
  kept: z.array(reason).nullable().optional(),
  predictions: z.array(prediction).nullable().optional(),
  says: z.string().nullable().optional(),
});

export type WrittenProposal = z.infer<typeof proposal>;
export type WrittenReason = z.infer<typeof reason>;

/** What is wrong with the shape of what was written; empty when it is a WrittenProposal. */
export function shapeIssues(written: unknown): Issue[] {
  const findings = proposal.safeParse(written).error?.issues ?? [];
  if (findings.length === 0) return [];
  schema ??= z.toJSONSchema(proposal) as JsonSchema;
  return translate(findings, written, schema);
}

let schema: JsonSchema | undefined;

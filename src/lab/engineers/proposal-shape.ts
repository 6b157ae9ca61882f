// The shape of a proposal as engineers write it that are not part of icecore: models and programs. All but the
// configuration may be left out.
import { z } from 'zod';
import type { Issue } from '../../../schemas/errors.ts';
import type { JsonSchema } from '../../../schemas/phrase.ts';
import { details, name, share } from '../../../schemas/primitives.ts';
import { translate } from '../../../schemas/translate.ts';

/** What nobody needs more of to say why; an event holds only so much. */
const most = { entries: 1000, evidenceIds: 50, reason: 4000, rationale: 20_000 } as const;

/** In bytes, as JSON: all of it can be recorded, whatever it is made of. */
const mostBytes = 250_000;

const reason = z.strictObject({
  knob: name,
  cites: z.array(z.string()).max(most.evidenceIds).nullable().optional(),
  reason: z.string().max(most.reason).nullable().optional(),
});

const prediction = z.strictObject({ family: name, measure: name.optional(), value: share });

const proposal = z.strictObject({
  configuration: details,
  reasons: z.array(reason).max(most.entries).nullable().optional(),
  kept: z.array(reason).max(most.entries).nullable().optional(),
  predictions: z.array(prediction).max(most.entries).nullable().optional(),
  rationale: z.string().max(most.rationale).nullable().optional(),
});

export type WrittenProposal = z.infer<typeof proposal>;
export type WrittenReason = z.infer<typeof reason>;

/** What is wrong with the shape of what was written; empty when it is a WrittenProposal. */
export function shapeIssues(written: unknown): Issue[] {
  const bytes = Buffer.byteLength(JSON.stringify(written) ?? '');
  if (bytes > mostBytes)
    return [{ field: 'answer', found: `a proposal of ${bytes} bytes`, allowed: `at most ${mostBytes} bytes` }];
  const findings = proposal.safeParse(written).error?.issues ?? [];
  if (findings.length === 0) return [];
  schema ??= z.toJSONSchema(proposal) as JsonSchema;
  return translate(findings, written, schema);
}

let schema: JsonSchema | undefined;

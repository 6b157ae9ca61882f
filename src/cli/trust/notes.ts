// The form of the notes of a verification. They lie in a file that anybody may have written, and what has another form
// must be told as such before it is gone on from.
import { z } from 'zod';
import { findingKinds } from '../../../schemas/finding-kinds.ts';
import { count, digest } from '../../../schemas/primitives.ts';
import type { Interrupted } from '../../ledger/verify/verify.ts';

/** Two to this power is more than any number of events that can be counted. */
const mostLevels = 53;

const span = z.object({
  from: z.literal(0),
  subtrees: z.array(z.tuple([z.int().min(0).max(mostLevels), digest]).readonly()),
});

const finding = z.object({
  kind: z.enum(findingKinds),
  where: z.string(),
  event: z.string().nullable(),
  says: z.string(),
});

const counts = z.array(z.tuple([z.string(), count]).readonly());

export const notesForm: z.ZodType<Interrupted> = z.object({
  ledger: z.string(),
  head: digest.nullable(),
  after: z.string(),
  account: z.object({
    tally: z.object({ events: count, bytes: count, blobs: count, opaque: count }),
    findings: z.object({ kept: z.array(finding), total: count, faults: count }),
    leaves: span,
    growing: z.array(z.tuple([z.string(), span]).readonly()),
    proven: z.array(z.string()),
    afterSeal: counts,
    unsealed: counts,
  }),
});

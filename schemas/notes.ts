// Notes that people add to a run, and redactions of texts. They have a stream of their own, so that they never disturb the
// loop.
import { z } from 'zod';
import { eventType } from './family.ts';
import { digest, measured, name, stream, uuid } from './primitives.ts';

export const runAnnotated = eventType({
  type: 'RunAnnotated',
  code: 120,
  in: ['notes'],
  stage: 'maybe',
  summary: 'A note about a run, one of its stages, knobs or events.',
  data: z.strictObject({
    note: z.string(),
    event: uuid.describe('the subject, if it is an event').optional(),
    knob: name.describe('the subject, if it is a knob').optional(),
    tags: z.array(name).optional(),
    measured: measured.optional(),
  }),
});

export const redacted = eventType({
  type: 'Redacted',
  code: 121,
  in: ['notes', 'answer'],
  stage: 'maybe',
  summary: 'Texts were erased: their blobs are destroyed, but the events that name them remain.',
  data: z.strictObject({
    reason: z.string(),
    erased: z
      .array(
        z.strictObject({
          event: uuid.describe('the event that contained the text'),
          stream,
          field: name.describe('the field that names the blob: data.completion'),
          blob: digest.describe('the destroyed blob'),
        }),
      )
      .min(1),
    measured: measured.optional(),
  }),
});

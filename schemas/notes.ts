// What people say about a run afterwards, and which texts had to be erased. Notes have a stream of their own, so that
// they never disturb the loop.
import { z } from 'zod';
import { eventType } from './family.ts';
import { digest, measured, name, stream, uuid } from './primitives.ts';

export const runAnnotated = eventType({
  type: 'RunAnnotated',
  code: 120,
  in: ['notes'],
  stage: 'maybe',
  summary: 'Somebody noted something about a run, one of its stages, knobs or events.',
  data: z.strictObject({
    note: z.string(),
    event: uuid.describe('the event it is about').optional(),
    knob: name.describe('the knob it is about').optional(),
    tags: z.array(name).optional(),
    measured: measured.optional(),
  }),
});

export const redacted = eventType({
  type: 'Redacted',
  code: 121,
  in: ['notes', 'answer'],
  stage: 'maybe',
  summary: 'Texts were erased: their blobs are destroyed, the events that name them stand.',
  data: z.strictObject({
    reason: z.string(),
    erased: z
      .array(
        z.strictObject({
          event: uuid.describe('the event whose text it was'),
          stream,
          field: name.describe('where the event names the blob: data.completion'),
          blob: digest.describe('the blob that was destroyed'),
        }),
      )
      .min(1),
    measured: measured.optional(),
  }),
});

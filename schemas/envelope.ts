// The envelope: what every event says about itself, whatever its type.
import { z } from 'zod';
import { actor, count, digest, moment, runId, stageNumber, stream, uuid } from './primitives.ts';

/** What led to an event: another event, or a span of a stream with the Merkle root over its events. */
export const cause = z
  .union([
    z.strictObject({ event: uuid }),
    z.strictObject({ stream, from: z.int().nonnegative(), to: z.int().nonnegative(), root: digest }),
  ])
  .meta({ description: 'an event by its id, or events of a stream, `from` to `to`, with the Merkle root over them' });

/** What led to an event: another event, or a span of a stream with its Merkle root. */
export type Cause = z.infer<typeof cause>;

/** What a writer supplies. The ledger adds stream, revision, previous, recordedAt and digest. */
export const writerFields = {
  id: uuid.meta({ description: 'given by who makes the event; the same id again is the same event' }),
  type: z.string().meta({ description: 'one of the types below' }),
  version: z.int().positive().meta({ description: 'the version of the type' }),
  at: moment.meta({ description: 'when it happened' }),
  actor,
  run: runId.nullable().meta({ description: 'null where it belongs to none' }),
  stage: stageNumber.nullable().meta({ description: 'null where it belongs to none' }),
  causes: z.array(cause).meta({ description: 'what led to it' }),
} as const;

/** What an event carries once it is recorded. */
export const recordedFields = {
  ...writerFields,
  stream,
  revision: count.meta({ description: 'its place in its stream, from 0' }),
  previous: digest.nullable().meta({ description: 'the digest of the event before it, where the stream is a chain' }),
  recordedAt: moment.meta({ description: 'when the store wrote it; not covered by the digest' }),
  digest: digest.meta({ description: 'SHA-256 of the canonical JSON of all but recordedAt and digest' }),
} as const;

/** An event as a writer hands it in. */
export interface NewEvent<Data = unknown> {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly at: string;
  readonly actor: string;
  readonly run: string | null;
  readonly stage: number | null;
  readonly causes: readonly Cause[];
  readonly data: Data;
}

/** The part of a stored event that its digest covers; its canonical JSON is what the store keeps. */
export interface Envelope<Data = unknown> extends NewEvent<Data> {
  readonly stream: string;
  readonly revision: number;
  readonly previous: string | null;
}

/** An event as it is shown: the envelope with what the store assigned. */
export interface RecordedEvent<Data = unknown> extends Envelope<Data> {
  readonly recordedAt: string;
  readonly digest: string;
}

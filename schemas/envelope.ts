// The envelope: the fields that every event has, whatever its type.
import { z } from 'zod';
import { actor, count, digest, moment, runId, stageNumber, stream, uuid } from './primitives.ts';

/** The cause of an event: another event, or a range of a stream with the Merkle root over its events. */
export const cause = z
  .union([
    z.strictObject({ event: uuid }),
    z.strictObject({ stream, from: z.int().nonnegative(), to: z.int().nonnegative(), root: digest }),
  ])
  .meta({ description: 'an event by its id, or events of a stream, `from` to `to`, with the Merkle root over them' });

/** The cause of an event: another event, or a range of a stream with its Merkle root. */
export type Cause = z.infer<typeof cause>;

/** Fields that the writer sets. The ledger adds stream, revision, previous, recordedAt and digest. */
export const writerFields = {
  id: uuid.meta({ description: 'chosen by the writer; the same id again means the same event' }),
  type: z.string().meta({ description: 'one of the types below' }),
  version: z.int().positive().meta({ description: 'the version of the type' }),
  at: moment.meta({ description: 'when it happened' }),
  actor,
  run: runId.nullable().meta({ description: 'null: it belongs to no run' }),
  stage: stageNumber.nullable().meta({ description: 'null: it belongs to no stage' }),
  causes: z.array(cause).meta({ description: 'the causes of the event' }),
} as const;

/** Fields of a recorded event. */
export const recordedFields = {
  ...writerFields,
  stream,
  revision: count.meta({ description: 'the position in its stream, from 0' }),
  previous: digest.nullable().meta({ description: 'the digest of the event before it, if the stream is a chain' }),
  recordedAt: moment.meta({ description: 'when the store wrote it; not covered by the digest' }),
  digest: digest.meta({ description: 'SHA-256 of the canonical JSON of all but recordedAt and digest' }),
} as const;

/** An event as a writer provides it. */
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

/** The part of a stored event that its digest covers. The store keeps its canonical JSON. */
export interface Envelope<Data = unknown> extends NewEvent<Data> {
  readonly stream: string;
  readonly revision: number;
  readonly previous: string | null;
}

/** An event as readers get it: the envelope with the fields that the store assigned. */
export interface RecordedEvent<Data = unknown> extends Envelope<Data> {
  readonly recordedAt: string;
  readonly digest: string;
}

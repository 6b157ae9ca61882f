// An event as the server keeps it: what it is found by, and the bytes of the answer that brings it to a client. Those
// are made once, when the event is written, and are what its file holds too.
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';

export interface Proposed {
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface Recorded {
  readonly stream: string;
  /** Infinity for a tombstone, which ends its stream for good. */
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  /** In milliseconds since 1970. */
  readonly created: number;
  /** Where it begins in the log, and where what follows it may begin. */
  readonly position: number;
  readonly end: number;
  readonly answer: Buffer;
}

/** The revision of a tombstone, the largest there is. */
const deletedRevision = '9223372036854775807';
const ticksPerMillisecond = 10_000;

export const tombstoneType = '$streamDeleted';

export function encoded(
  event: Proposed,
  place: { readonly stream: string; readonly revision: number; readonly created: number; readonly position: number },
): Buffer {
  const { RecordedEvent } = streams.ReadResp.ReadEvent;
  const recorded = new RecordedEvent()
    .setId(new shared.UUID().setString(event.id))
    .setStreamIdentifier(identifier(place.stream))
    .setStreamRevision(place.revision === Number.POSITIVE_INFINITY ? deletedRevision : `${place.revision}`)
    .setPreparePosition(`${place.position}`)
    .setCommitPosition(`${place.position}`)
    .setCustomMetadata(event.metadata)
    .setData(event.data);
  recorded
    .getMetadataMap()
    .set('type', event.type)
    .set('created', `${place.created * ticksPerMillisecond}`)
    .set('content-type', event.isJson ? 'application/json' : 'application/octet-stream');
  const read = new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(`${place.position}`);
  return bytesOf(new streams.ReadResp().setEvent(read));
}

/** What an answer in the file says of its event. */
export function decoded(answer: Buffer, { position, end }: Pick<Recorded, 'position' | 'end'>): Recorded {
  const event = eventOf(answer);
  const metadata = event.getMetadataMap();
  const revision = event.getStreamRevision();
  return {
    stream: Buffer.from(event.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(),
    revision: revision === deletedRevision ? Number.POSITIVE_INFINITY : Number(revision),
    id: event.getId()?.getString() ?? '',
    type: metadata.get('type') ?? '',
    created: Number(metadata.get('created')) / ticksPerMillisecond,
    position,
    end,
    answer,
  };
}

/** The data of an event, which only that of a stream's metadata is ever asked for. */
export function dataOf({ answer }: Recorded): Uint8Array {
  return eventOf(answer).getData_asU8();
}

function eventOf(answer: Buffer): streams.ReadResp.ReadEvent.RecordedEvent {
  const event = streams.ReadResp.deserializeBinary(answer).getEvent()?.getEvent();
  if (event === undefined) throw new Error('the file of the test server holds something else than events');
  return event;
}

export function identifier(stream: string): shared.StreamIdentifier {
  return new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
}

/** The bytes of a message, without a copy. */
export function bytesOf(message: { serializeBinary(): Uint8Array }): Buffer {
  const { buffer, byteOffset, byteLength } = message.serializeBinary();
  return Buffer.from(buffer, byteOffset, byteLength);
}

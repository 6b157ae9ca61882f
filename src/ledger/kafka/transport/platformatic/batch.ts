// Record batches as they are sent. The library's own way makes a buffer of each field and takes several times as long.
import { crc32c } from '@platformatic/kafka';
import { codecOf } from '../kafkajs/batch/codecs.ts';
import { at, bytesBeforeLength, currentMagic, headBytes } from '../kafkajs/batch/layout.ts';
import { RecordWriter } from '../kafkajs/batch/writer.ts';
import type { Compression, OutgoingRecord } from '../transport.ts';

/** Who sends a batch, and as which of theirs: by this a broker knows one that comes again. */
export interface Origin {
  readonly producerId: bigint;
  readonly epoch: number;
  readonly sequence: number;
}

/** A batch that is ready but for its origin, which only its turn to be sent decides. */
export interface PackedBatch {
  readonly bytes: Buffer;
  readonly count: number;
}

export async function packBatch(records: readonly OutgoingRecord[], compression: Compression): Promise<PackedBatch> {
  const codec = codecOf(compression);
  const [first, last] = span(records);
  const writer = new RecordWriter();
  for (const [index, record] of records.entries()) writer.write(record, index, record.timestamp - first);
  const body = await codec.compress(writer.bytes());
  const bytes = Buffer.allocUnsafe(headBytes + body.length);
  bytes.writeBigInt64BE(0n, at.firstOffset);
  bytes.writeInt32BE(bytes.length - bytesBeforeLength, at.length);
  bytes.writeInt32BE(-1, at.leaderEpoch);
  bytes.writeInt8(currentMagic, at.magic);
  bytes.writeInt16BE(codec.number, at.attributes);
  bytes.writeInt32BE(records.length - 1, at.lastOffsetDelta);
  bytes.writeBigInt64BE(BigInt(first), at.firstTimestamp);
  bytes.writeBigInt64BE(BigInt(last), at.lastTimestamp);
  bytes.writeInt32BE(records.length, at.count);
  body.copy(bytes, headBytes);
  return { bytes, count: records.length };
}

/** Writes the origin into the batch, and the checksum over it. */
export function sign({ bytes }: PackedBatch, { producerId, epoch, sequence }: Origin): void {
  bytes.writeBigInt64BE(producerId, at.producerId);
  bytes.writeInt16BE(epoch, at.producerEpoch);
  bytes.writeInt32BE(sequence, at.firstSequence);
  bytes.writeUInt32BE(crc32c(bytes.subarray(at.attributes)), at.checksum);
}

function span(records: readonly OutgoingRecord[]): [first: number, last: number] {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { timestamp } of records) {
    first = Math.min(first, timestamp);
    last = Math.max(last, timestamp);
  }
  return [first, last];
}

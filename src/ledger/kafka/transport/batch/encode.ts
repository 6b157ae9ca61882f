// Record batches as they are sent. The clients' own ways make a buffer of each field and take several times as long; and
// kafkajs takes a timestamp of 0 for none, and sorts timestamps as texts.
import type { Compression, OutgoingRecord } from '../transport.ts';
import { codecOf } from './codecs.ts';
import { at, bytesBeforeLength, currentMagic, headBytes } from './layout.ts';
import { RecordWriter } from './writer.ts';

/** Who sends a batch, and as which of theirs: by this a broker knows one that comes again. */
export interface Origin {
  readonly producerId: bigint;
  readonly epoch: number;
  readonly sequence: number;
}

/** CRC-32C, of which Node has none. */
export type Checksum = (bytes: Buffer) => number;

/** A batch that is ready but for its origin, which only its turn to be sent decides. */
export interface PackedBatch {
  readonly bytes: Buffer;
  readonly count: number;
}

export async function packBatch(records: readonly OutgoingRecord[], compression: Compression): Promise<PackedBatch> {
  const codec = codecOf(compression);
  const [first, last] = span(records);
  const body = await codec.compress(writeRecords(records, first));
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
export function sign({ bytes }: PackedBatch, { producerId, epoch, sequence }: Origin, checksum: Checksum): void {
  bytes.writeBigInt64BE(producerId, at.producerId);
  bytes.writeInt16BE(epoch, at.producerEpoch);
  bytes.writeInt32BE(sequence, at.firstSequence);
  bytes.writeUInt32BE(checksum(bytes.subarray(at.attributes)), at.checksum);
}

function span(records: readonly OutgoingRecord[]): [first: number, last: number] {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { timestamp } of records) {
    first = Math.min(first, timestamp);
    last = Math.max(last, timestamp);
  }
  return [first, last];
}

function writeRecords(records: readonly OutgoingRecord[], firstTimestamp: number): Buffer {
  const writer = new RecordWriter();
  records.forEach((record, index) => {
    writer.write(record, index, record.timestamp - firstTimestamp);
  });
  return writer.bytes();
}

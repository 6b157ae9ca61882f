// Record batches as they are found. The clients' own ways take several times as long, and kafkajs's leaves out batches that
// compaction emptied, and with them where to go on.
import { BatchUnreadable } from '../errors.ts';
import type { FoundRecord } from '../transport.ts';
import { codecName, codecNumbered, mostUnpackedBytes } from './codecs.ts';
import { at, attribute, bytesBeforeLength, currentMagic, headBytes } from './layout.ts';
import { RecordReader } from './reader.ts';

/** A batch as it lies in an answer. */
export interface FoundBatch {
  readonly bytes: Buffer;
  readonly firstOffset: number;
  /** Of the last record that was ever in it, even where compaction removed that. */
  readonly lastOffset: number;
  readonly attributes: number;
  readonly producerId: bigint;
}

/** Where a batch was found, for messages. */
export interface Found {
  readonly topic: string;
  readonly partition: number;
}

/** The whole batches in an answer; the last may be cut off and is left out. */
export function* batchesIn(bytes: Buffer, found: Found): Generator<FoundBatch> {
  for (let start = 0; start + headBytes <= bytes.length; ) {
    const end = start + bytesBeforeLength + bytes.readInt32BE(start + at.length);
    if (end > bytes.length) return;
    yield batchFrom(bytes.subarray(start, end), found);
    start = end;
  }
}

export function isControl({ attributes }: FoundBatch): boolean {
  return (attributes & attribute.control) !== 0;
}

export function isTransactional({ attributes }: FoundBatch): boolean {
  return (attributes & attribute.transactional) !== 0;
}

/** Of a batch that marks the end of a transaction: whether it was aborted. */
export function isAbort(batch: FoundBatch): boolean {
  // Compaction empties marks that have become old.
  if (batch.bytes.readInt32BE(at.count) === 0) return false;
  const { key } = new RecordReader(batch.bytes, headBytes).record(0, 0, null);
  return key !== null && key.length >= 4 && key.readInt16BE(2) === 0;
}

/** The name of its codec. */
export function codecOf({ attributes }: FoundBatch): string {
  return codecName(attributes & attribute.codec);
}

/** Null where its codec is one that Node does not have. */
export async function recordsOf(batch: FoundBatch, found: Found): Promise<FoundRecord[] | null> {
  const reader = await readerOf(batch, found);
  if (reader === null) return null;
  try {
    return recordsFrom(reader, batch);
  } catch (error) {
    throw unreadable(batch, found, 'its records break off', error);
  }
}

function recordsFrom(reader: RecordReader, { bytes, attributes, firstOffset }: FoundBatch): FoundRecord[] {
  const firstTimestamp = Number(bytes.readBigInt64BE(at.firstTimestamp));
  const ofAll = (attributes & attribute.logAppendTime) === 0 ? null : Number(bytes.readBigInt64BE(at.lastTimestamp));
  const records: FoundRecord[] = [];
  for (let left = bytes.readInt32BE(at.count); left > 0; left--)
    records.push(reader.record(firstOffset, firstTimestamp, ofAll));
  return records;
}

async function readerOf(batch: FoundBatch, found: Found): Promise<RecordReader | null> {
  const number = batch.attributes & attribute.codec;
  if (number === 0) return new RecordReader(batch.bytes, headBytes);
  const codec = codecNumbered(number);
  if (codec === undefined) return null;
  try {
    return new RecordReader(await codec.decompress(batch.bytes.subarray(headBytes)), 0);
  } catch (error) {
    const isTooLarge = (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
    const what = isTooLarge
      ? `it unpacks to more than ${mostUnpackedBytes} bytes`
      : `it does not unpack as ${codec.name}`;
    throw unreadable(batch, found, what, error);
  }
}

function unreadable({ firstOffset }: FoundBatch, found: Found, what: string, cause?: unknown): BatchUnreadable {
  return new BatchUnreadable(found.topic, found.partition, firstOffset, what, cause);
}

function batchFrom(bytes: Buffer, { topic, partition }: Found): FoundBatch {
  const firstOffset = Number(bytes.readBigInt64BE(at.firstOffset));
  const magic = bytes.readInt8(at.magic);
  if (magic !== currentMagic)
    throw new BatchUnreadable(topic, partition, firstOffset, `its format is ${magic}, from before Kafka 0.11`);
  return {
    bytes,
    firstOffset,
    lastOffset: firstOffset + bytes.readInt32BE(at.lastOffsetDelta),
    attributes: bytes.readInt16BE(at.attributes),
    producerId: bytes.readBigInt64BE(at.producerId),
  };
}

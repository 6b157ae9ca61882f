// Records of a batch, one behind the other. Keys, values and headers are views into the answer they came with.
import type { FoundRecord } from '../transport.ts';
import { FoundHeaders } from './headers.ts';
import { VarintReader } from './varints.ts';

export class RecordReader {
  readonly #reader: VarintReader;

  constructor(bytes: Buffer, start: number) {
    this.#reader = new VarintReader(bytes, start);
  }

  /** `timestamp` where the broker gave the whole batch one. */
  record(firstOffset: number, firstTimestamp: number, timestamp: number | null): FoundRecord {
    const reader = this.#reader;
    const length = reader.varint();
    const end = reader.next + length;
    if (end > reader.bytes.length) throw new RangeError('the batch ends within a record');
    reader.next += 1;
    const timestampDelta = reader.varlong();
    const offset = firstOffset + reader.varint();
    const key = reader.field();
    const value = reader.field();
    const count = reader.varint();
    const headers = new FoundHeaders(reader.bytes, reader.next, count);
    reader.next = end;
    return { offset, timestamp: timestamp ?? firstTimestamp + timestampDelta, key, value, headers };
  }
}

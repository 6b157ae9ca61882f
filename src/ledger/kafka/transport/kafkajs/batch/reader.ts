// Records of a batch, one behind the other. Keys, values and headers are views into the answer they came with.
import type { FoundRecord } from '../../transport.ts';

const nothing = Buffer.alloc(0);

export class RecordReader {
  readonly #bytes: Buffer;
  #next: number;

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#next = start;
  }

  /** `timestamp` where the broker gave the whole batch one. */
  record(firstOffset: number, firstTimestamp: number, timestamp: number | null): FoundRecord {
    const length = this.#varint();
    const end = this.#next + length;
    if (end > this.#bytes.length) throw new RangeError('the batch ends within a record');
    this.#next += 1;
    const timestampDelta = this.#varlong();
    const offset = firstOffset + this.#varint();
    const key = this.#field();
    const value = this.#field();
    const headers = this.#headers();
    this.#next = end;
    return { offset, timestamp: timestamp ?? firstTimestamp + timestampDelta, key, value, headers };
  }

  #headers(): ReadonlyMap<string, Buffer> {
    const headers = new Map<string, Buffer>();
    for (let left = this.#varint(); left > 0; left--) {
      const name = this.#name();
      headers.set(name, this.#field() ?? nothing);
    }
    return headers;
  }

  #name(): string {
    const length = this.#varint();
    const start = this.#next;
    this.#next += length;
    return this.#bytes.toString('utf8', start, this.#next);
  }

  #field(): Buffer | null {
    const length = this.#varint();
    if (length < 0) return null;
    const start = this.#next;
    this.#next += length;
    return this.#bytes.subarray(start, this.#next);
  }

  #varint(): number {
    const first = this.#byte();
    if (first < 0x80) return (first >>> 1) ^ -(first & 1);
    let value = first & 0x7f;
    let shift = 7;
    for (let byte = 0x80; byte >= 0x80; shift += 7) {
      byte = this.#byte();
      value |= (byte & 0x7f) << shift;
    }
    return (value >>> 1) ^ -(value & 1);
  }

  #varlong(): number {
    let value = 0n;
    let small = 0;
    for (let shift = 0, byte = 0x80; byte >= 0x80; shift += 7) {
      byte = this.#byte();
      if (shift < 28) small |= (byte & 0x7f) << shift;
      else value |= BigInt(byte & 0x7f) << BigInt(shift);
    }
    if (value === 0n) return (small >>> 1) ^ -(small & 1);
    const all = value | BigInt(small);
    return Number((all >> 1n) ^ -(all & 1n));
  }

  #byte(): number {
    const byte = this.#bytes[this.#next++];
    if (byte === undefined) throw new RangeError('the batch ends within a record');
    return byte;
  }
}

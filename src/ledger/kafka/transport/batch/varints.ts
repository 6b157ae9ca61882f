// Numbers of as many bytes as they need, as records are made of.

export class VarintReader {
  readonly bytes: Buffer;
  next: number;

  constructor(bytes: Buffer, start: number) {
    this.bytes = bytes;
    this.next = start;
  }

  /** Bytes behind their length; null where that is -1. */
  field(): Buffer | null {
    const length = this.varint();
    if (length < 0) return null;
    const start = this.next;
    this.next += length;
    return this.bytes.subarray(start, this.next);
  }

  varint(): number {
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

  varlong(): number {
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
    const byte = this.bytes[this.next++];
    if (byte === undefined) throw new RangeError('the batch ends within a record');
    return byte;
  }
}

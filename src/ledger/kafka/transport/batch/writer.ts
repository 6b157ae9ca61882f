// Records of a batch, one behind the other in one buffer that grows. The length of a record comes before it, as a number of
// as many bytes as it needs: room is left for the longest, and what was written moves up to it.
import type { OutgoingRecord } from '../transport.ts';

const longestVarint = 5;
const longestVarlong = 10;
const noAttributes = 0;

export class RecordWriter {
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #end = 0;

  write({ key, value, headers }: OutgoingRecord, offsetDelta: number, timestampDelta: number): void {
    const start = this.#end;
    this.#makeRoom(2 * longestVarint + longestVarlong + 1);
    this.#end += longestVarint;
    this.#buffer[this.#end++] = noAttributes;
    this.#positiveVarlong(timestampDelta);
    this.#varint(offsetDelta);
    this.#text(key);
    this.#text(value);
    this.#headers(headers);
    this.#closeRecord(start);
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#end);
  }

  #headers(headers: OutgoingRecord['headers']): void {
    const names = Object.keys(headers);
    this.#makeRoom(longestVarint);
    this.#varint(names.length);
    for (const name of names) {
      this.#text(name);
      this.#text(headers[name] ?? '');
    }
  }

  #closeRecord(start: number): void {
    const body = start + longestVarint;
    const length = this.#end - body;
    this.#end = start;
    this.#varint(length);
    this.#buffer.copyWithin(this.#end, body, body + length);
    this.#end += length;
  }

  #text(text: string): void {
    // A UTF-16 unit takes three bytes at most, so that short texts need not be measured first.
    const most = text.length * 3;
    this.#makeRoom(longestVarint + most);
    if (most < 64) this.#shortText(text);
    else {
      this.#varint(Buffer.byteLength(text));
      this.#end += this.#buffer.write(text, this.#end);
    }
  }

  /** Its length fits one byte. */
  #shortText(text: string): void {
    const length = this.#buffer.write(text, this.#end + 1);
    this.#buffer[this.#end] = length << 1;
    this.#end += 1 + length;
  }

  #varint(value: number): void {
    let rest = ((value << 1) ^ (value >> 31)) >>> 0;
    for (; rest > 0x7f; rest >>>= 7) this.#buffer[this.#end++] = (rest & 0x7f) | 0x80;
    this.#buffer[this.#end++] = rest;
  }

  #positiveVarlong(value: number): void {
    let rest = value * 2;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) this.#buffer[this.#end++] = (rest % 0x80) | 0x80;
    this.#buffer[this.#end++] = rest;
  }

  #makeRoom(bytes: number): void {
    if (this.#end + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#end + bytes));
    this.#buffer.copy(larger, 0, 0, this.#end);
    this.#buffer = larger;
  }
}

// The headers of a record as they lie in its batch. Of the ten that an event has, few are asked for, and those as texts: so
// none is taken out before.
import type { Headers } from '../transport.ts';
import { VarintReader } from './varints.ts';

const nothing = Buffer.alloc(0);

export class FoundHeaders implements Headers {
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #count: number;

  /** They begin at `start`, behind their number. */
  constructor(bytes: Buffer, start: number, count: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#count = count;
  }

  ascii(name: string): string | undefined {
    const reader = new VarintReader(this.#bytes, this.#start);
    let found: string | undefined;
    for (let left = this.#count; left > 0; left--) {
      const isIt = this.#isNamed(name, reader.varint(), reader);
      const length = reader.varint();
      if (isIt) found = length < 1 ? '' : this.#bytes.toString('latin1', reader.next, reader.next + length);
      reader.next += Math.max(length, 0);
    }
    return found;
  }

  *[Symbol.iterator](): Generator<readonly [string, Buffer]> {
    const reader = new VarintReader(this.#bytes, this.#start);
    for (let left = this.#count; left > 0; left--) {
      const name = reader.field() ?? nothing;
      yield [name.toString('utf8'), reader.field() ?? nothing];
    }
  }

  /** Goes past the name. */
  #isNamed(name: string, length: number, reader: VarintReader): boolean {
    const start = reader.next;
    reader.next += length;
    if (length !== name.length) return false;
    // Names that are alike begin alike.
    for (let at = length - 1; at >= 0; at--) if (this.#bytes[start + at] !== name.charCodeAt(at)) return false;
    return true;
  }
}

// Bytes into lines, none longer than it may be: what a program prints is not held in memory without bound.
import { isUtf8 } from 'node:buffer';

export class UnreadableLine extends Error {
  override readonly name = 'UnreadableLine';
  /** Its beginning, as far as it can be shown. */
  readonly said: string;

  constructor(what: string, bytes: Uint8Array) {
    super(what);
    this.said = Buffer.from(bytes.subarray(0, 200)).toString('utf8');
  }
}

export class Lines {
  readonly #most: number;
  #begun: Buffer[] = [];
  #bytes = 0;

  /** `most` is the longest line allowed, in bytes. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The lines that a chunk brings to their end, without blank ones. Throws UnreadableLine. */
  *take(chunk: Buffer): Generator<string> {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(10, from);
      const piece = chunk.subarray(from, end < 0 ? chunk.length : end);
      this.#keep(piece);
      if (end < 0) return;
      const line = this.#line();
      if (line.trim() !== '') yield line;
      from = end + 1;
    }
  }

  #keep(piece: Buffer): void {
    this.#bytes += piece.length;
    this.#begun.push(piece);
    if (this.#bytes > this.#most) {
      throw new UnreadableLine(`a line longer than ${this.#most} bytes`, this.#begun[0] ?? piece);
    }
  }

  #line(): string {
    const [only] = this.#begun;
    const bytes = this.#begun.length === 1 && only !== undefined ? only : Buffer.concat(this.#begun);
    this.#begun = [];
    this.#bytes = 0;
    if (!isUtf8(bytes)) throw new UnreadableLine('bytes that are not UTF-8', bytes);
    return bytes.toString('utf8');
  }
}

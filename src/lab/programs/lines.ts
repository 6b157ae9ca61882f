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
  readonly #strange: 'refused' | 'mended';
  #begun: Buffer[] = [];
  #bytes = 0;

  /**
   * `most` is the longest line allowed, in bytes. What is longer or no text is refused with UnreadableLine, or mended: cut,
   * and with marks for what cannot be read.
   */
  constructor(most: number, strange: 'refused' | 'mended' = 'refused') {
    this.#most = most;
    this.#strange = strange;
  }

  /** The lines that a chunk brings to their end, without blank ones. */
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

  /** What came after the last line end, when no more comes. */
  *rest(): Generator<string> {
    const line = this.#line();
    if (line.trim() !== '') yield line;
  }

  #keep(piece: Buffer): void {
    const room = this.#most - this.#bytes;
    if (piece.length > room && this.#strange === 'refused') {
      throw new UnreadableLine(`a line longer than ${this.#most} bytes`, this.#begun[0] ?? piece);
    }
    const kept = piece.subarray(0, room);
    this.#bytes += kept.length;
    if (kept.length > 0) this.#begun.push(kept);
  }

  #line(): string {
    const [only] = this.#begun;
    const bytes = this.#begun.length === 1 && only !== undefined ? only : Buffer.concat(this.#begun);
    this.#begun = [];
    this.#bytes = 0;
    if (this.#strange === 'refused' && !isUtf8(bytes)) throw new UnreadableLine('bytes that are not UTF-8', bytes);
    return bytes.toString('utf8');
  }
}

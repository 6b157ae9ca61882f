// Bytes that come in pieces of any length, taken in the lengths that are wanted.
import { BundleRefused } from './errors.ts';

export class Pieces {
  readonly #source: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);
  /** How many were taken in so far. */
  taken = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** As one. Throws BundleRefused where there are fewer. */
  async exactly(bytes: number, of: string): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.some(bytes, of)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** As they come. Throws BundleRefused where there are fewer. */
  async *some(bytes: number, of: string): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0; ) {
      if (this.#held.length === 0 && !(await this.#more())) throw new BundleRefused(of, 'it is cut off');
      const piece = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  /** Throws BundleRefused where something is left; whatever stands at the end of the source is read. */
  async end(): Promise<void> {
    while (this.#held.length === 0) if (!(await this.#more())) return;
    throw new BundleRefused('the file', 'something stands behind its end');
  }

  async stop(): Promise<void> {
    await this.#source.return?.();
  }

  async #more(): Promise<boolean> {
    const next = await this.#source.next();
    if (next.done === true) return false;
    this.#held = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    this.taken += this.#held.length;
    return true;
  }
}

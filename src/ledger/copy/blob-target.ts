// The blob store of a copy. It is made when there is a blob to put into it: a ledger whose events name none has none.
import type { Blobs } from '../blobs/blobs.ts';
import { BlobStoreMissing } from '../blobs/errors.ts';
import { openBlobs } from '../blobs/open.ts';
import type { BlobSink } from './blob-copy.ts';

export class BlobTarget implements BlobSink {
  readonly #url: string;
  #blobs: Blobs | null;
  #making: Promise<Blobs> | null = null;

  private constructor(url: string, blobs: Blobs | null) {
    this.#url = url;
    this.#blobs = blobs;
  }

  /** Throws what is wrong with the store that is there, or with its URL. */
  static async at(url: string): Promise<BlobTarget> {
    try {
      return new BlobTarget(url, await openBlobs(url));
    } catch (error) {
      if (error instanceof BlobStoreMissing) return new BlobTarget(url, null);
      throw error;
    }
  }

  async has(blob: string): Promise<boolean> {
    return this.#blobs !== null && (await this.#blobs.has(blob));
  }

  async put(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const pieces = bytes[Symbol.asyncIterator]();
    // Where nothing can be read, nothing is made either.
    const first = await pieces.next();
    await (await this.#made()).put(resumed(first, pieces));
  }

  async erase(blob: string): Promise<void> {
    await this.#blobs?.erase(blob);
  }

  async close(): Promise<void> {
    await this.#making?.catch(() => {});
    await this.#blobs?.close();
  }

  async #made(): Promise<Blobs> {
    if (this.#blobs !== null) return this.#blobs;
    this.#making ??= openBlobs(this.#url, { create: true });
    this.#blobs = await this.#making;
    return this.#blobs;
  }
}

async function* resumed<Piece>(first: IteratorResult<Piece>, rest: AsyncIterator<Piece>): AsyncGenerator<Piece> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

// What a blob store supplies to be held to the contract.
import type { BlobReference, Blobs, OpenBlobsOptions } from '../blobs.ts';

/** A bit of the middle turned over; the end cut off; nothing left. */
export type Damage = 'flipped' | 'cut' | 'emptied';

export interface BlobFixture {
  /** The URL of a new and empty store. Any process of this machine can open it with `openBlobs`. */
  fresh(): Promise<string>;
  /** Opens it as another process would. */
  open(url: string, options?: OpenBlobsOptions): Promise<Blobs>;
  /** Damages what is stored, behind the store's back. */
  damage(url: string, digest: string, damage: Damage): Promise<void>;
  /** Releases everything the fixture made. */
  dispose(): Promise<void>;
}

/** Opens blob stores for one test and closes them after it. */
export class BlobBench {
  readonly fixture: BlobFixture;
  readonly #opened: Blobs[] = [];

  constructor(fixture: BlobFixture) {
    this.fixture = fixture;
  }

  async fresh(): Promise<Blobs> {
    return this.open(await this.fixture.fresh());
  }

  async open(url: string, options?: OpenBlobsOptions): Promise<Blobs> {
    const blobs = await this.fixture.open(url, options);
    this.#opened.push(blobs);
    return blobs;
  }

  async close(): Promise<void> {
    for (const blobs of this.#opened.splice(0)) await blobs.close();
  }
}

export async function digestsIn(blobs: Blobs): Promise<string[]> {
  const digests: string[] = [];
  for await (const batch of blobs.list()) digests.push(...batch.map((blob) => blob.digest));
  return digests;
}

export async function readAll(blobs: Blobs, digest: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of blobs.read(digest)) pieces.push(piece);
  return Buffer.concat(pieces);
}

export function digestsOf(references: readonly BlobReference[]): string[] {
  return references.map((reference) => reference.digest);
}

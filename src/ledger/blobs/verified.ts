// Blobs on any shelf: hashed before they are compressed, stored once, verified whenever they are read.
import { type Check, failure, ok } from '../checks.ts';
import { sha256 } from '../identity/ids.ts';
import { removeQuietly } from '../temporary.ts';
import type { BlobReference, BlobSource, Blobs, StoredBlob } from './blobs.ts';
import { requireDigest } from './digests.ts';
import { BlobMissing, BlobsClosed, BlobsReadOnly } from './errors.ts';
import { packFile, packWhole } from './packing.ts';
import { gather } from './pieces.ts';
import { type Packed, type Shelf, wholeBytes } from './shelf.ts';
import { together } from './together.ts';
import { isSound, unpack, unpackWhole, type Wanted } from './unpacking.ts';

/** A check reads this many small blobs. */
const sampled = 20;

export class VerifiedBlobs implements Blobs {
  readonly url: string;
  readonly #shelf: Shelf;
  readonly #readOnly: boolean;
  readonly #underway = new Map<string, Promise<BlobReference>>();
  readonly #puts = new Set<Promise<unknown>>();
  #closed = false;

  constructor(shelf: Shelf, readOnly: boolean) {
    this.url = shelf.url;
    this.#shelf = shelf;
    this.#readOnly = readOnly;
  }

  async put(source: BlobSource): Promise<BlobReference> {
    this.#requireWritable('put');
    const put = this.#gatherAndPut(source);
    this.#puts.add(put);
    return put.finally(() => this.#puts.delete(put));
  }

  putAll(sources: readonly BlobSource[]): Promise<readonly BlobReference[]> {
    return together(sources, this.#shelf.width, (source) => this.put(source));
  }

  async *read(digest: string): AsyncGenerator<Uint8Array> {
    yield* unpack(this.#wanted(digest), await this.#fetch(digest));
  }

  async get(digest: string): Promise<Uint8Array> {
    return unpackWhole(this.#wanted(digest), await this.#fetch(digest));
  }

  async has(digest: string): Promise<boolean> {
    this.#requireOpen(digest);
    if ((await this.#shelf.size(digest)) !== null) return true;
    await this.#shelf.requireStore();
    return false;
  }

  async *list(): AsyncGenerator<readonly StoredBlob[]> {
    this.#requireOpen();
    yield* this.#shelf.list();
  }

  async erase(digest: string): Promise<boolean> {
    this.#requireWritable('erase', digest);
    if (await this.#shelf.erase(digest)) return true;
    await this.#shelf.requireStore();
    return false;
  }

  async check(): Promise<readonly Check[]> {
    this.#requireOpen();
    return [...(await this.#shelf.check()), ...(await this.#checkSample())];
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#puts);
    await this.#shelf.close();
  }

  async #gatherAndPut(source: BlobSource): Promise<BlobReference> {
    const gathered = await gather(source);
    return gathered instanceof Uint8Array ? this.#putWhole(gathered) : this.#putPieces(gathered);
  }

  /** The same bytes put twice at a time, as prompts are, are written once. */
  #putWhole(bytes: Buffer): Promise<BlobReference> {
    const digest = sha256(bytes);
    const underway = this.#underway.get(digest);
    if (underway !== undefined) return underway;
    const put = this.#keepWhole(digest, bytes).finally(() => this.#underway.delete(digest));
    this.#underway.set(digest, put);
    return put;
  }

  async #keepWhole(digest: string, bytes: Buffer): Promise<BlobReference> {
    const sound = await isSound(this.#wanted(digest), () => this.#shelf.fetch(digest));
    await (sound ? this.#shelf.settle(digest) : this.#shelf.keep(digest, packWhole(bytes)));
    return { digest, bytes: bytes.byteLength };
  }

  /** The digest of a large one is known only at its end: it is compressed into a file first. */
  async #putPieces(pieces: AsyncIterable<Buffer>): Promise<BlobReference> {
    const file = await this.#shelf.spoolFile();
    const { digest, bytes, storedBytes } = await packFile(pieces, file);
    try {
      const there = await this.#holds(digest, storedBytes);
      await (there ? this.#shelf.settle(digest) : this.#shelf.keepFile(digest, file, storedBytes));
    } finally {
      await removeQuietly(file);
    }
    return { digest, bytes };
  }

  /** Where reading it again is a download, the same size is proof enough. */
  async #holds(digest: string, storedBytes: number): Promise<boolean> {
    if (this.#shelf.remote) return (await this.#shelf.size(digest)) === storedBytes;
    return isSound(this.#wanted(digest), () => this.#shelf.fetch(digest));
  }

  async #fetch(digest: string): Promise<Packed> {
    this.#requireOpen(digest);
    const packed = await this.#shelf.fetch(digest);
    if (packed !== null) return packed;
    await this.#shelf.requireStore();
    throw new BlobMissing(digest, this.url);
  }

  async #checkSample(): Promise<readonly Check[]> {
    try {
      for await (const batch of this.#shelf.list()) {
        const some = batch.filter((blob) => blob.storedBytes <= wholeBytes).slice(0, sampled);
        for (const { digest } of some) await this.get(digest);
        return some.length === 0 ? [] : [ok('digests', `the ${some.length} blobs that were read are what was put`)];
      }
      return [];
    } catch (error) {
      return [failure('digests', error)];
    }
  }

  #wanted(digest: string): Wanted {
    requireDigest(digest);
    return { digest, place: this.#shelf.placeOf(digest) };
  }

  #requireOpen(digest?: string): void {
    if (this.#closed) throw new BlobsClosed(this.url);
    if (digest !== undefined) requireDigest(digest);
  }

  #requireWritable(what: string, digest?: string): void {
    this.#requireOpen(digest);
    if (this.#readOnly) throw new BlobsReadOnly(this.url, what);
  }
}

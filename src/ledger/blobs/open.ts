// Opens the blob store at a URL. For every backend, blobs are hashed before compression, stored once, and verified whenever
// they are read. The code of a backend is loaded only when a URL needs it.
import { mapConcurrently } from '../../base/concurrently.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import { removeQuietly } from '../../base/temporary.ts';
import { type Check, failure, ok } from '../checks.ts';
import type { Contact, Environment } from '../driver.ts';
import { sha256 } from '../identity/ids.ts';
import {
  type BlobBackend,
  type BlobReference,
  type BlobSource,
  type Blobs,
  type OpenBlobsOptions,
  type Packed,
  requireDigest,
  type StoredBlob,
  wholeBytes,
} from './blobs.ts';
import { BlobDamaged, BlobMissing, BlobStoreMissing, badBlobUrl, blobsClosed, blobsReadOnly } from './errors.ts';
import { type Expected, gather, packFile, packWhole, unpack, unpackWhole } from './packing.ts';
import { s3Contact, s3Variables } from './s3/location.ts';

/** `folder:PATH`, or `s3://BUCKET/PREFIX?endpoint=…&region=…` with the credentials in the environment. */
export async function openBlobs(url: string, options: OpenBlobsOptions = {}): Promise<Blobs> {
  return new VerifiedBlobs(await openBackend(url, options), options.readOnly ?? false);
}

/** Opens it, usually for reading; null if there is none, since a ledger whose events name no blobs has no store. */
export async function openBlobsIfThere(
  url: string,
  options: OpenBlobsOptions = { readOnly: true },
): Promise<Blobs | null> {
  try {
    return await openBlobs(url, options);
  } catch (error) {
    if (error instanceof BlobStoreMissing) return null;
    throw error;
  }
}

async function openBackend(url: string, options: OpenBlobsOptions): Promise<BlobBackend> {
  const [scheme = '', place = ''] = url.split(/:(.*)/s);
  if (scheme === 'folder' && place !== '' && !place.includes('\0'))
    return await (await import('./folder.ts')).openFolder(url, place, options);
  if (scheme === 's3' && url.includes(':')) return await (await import('./s3/backend.ts')).openS3(url);
  throw badBlobUrl(url);
}

/** The servers of a blob store; none if it is a folder. */
export function contactsOfBlobs(url: string, env: Environment): readonly Contact[] {
  return url.startsWith('s3:') ? [s3Contact(url, env)] : [];
}

/** The environment variables with the credentials of a blob store, whatever its URL contains. */
export function variablesOfBlobs(url: string): typeof s3Variables {
  return url.startsWith('s3:') ? s3Variables : { required: [], optional: [] };
}

/** The number of small blobs that a check reads. */
const sampled = 20;

export class VerifiedBlobs implements Blobs {
  readonly url: string;
  readonly #backend: BlobBackend;
  readonly #readOnly: boolean;
  readonly #underway = new Map<string, Promise<BlobReference>>();
  readonly #puts = new Set<Promise<unknown>>();
  #closed = false;

  constructor(backend: BlobBackend, readOnly: boolean) {
    this.url = backend.url;
    this.#backend = backend;
    this.#readOnly = readOnly;
  }

  async put(source: BlobSource): Promise<BlobReference> {
    this.#requireWritable('put');
    const put = this.#gatherAndPut(source);
    this.#puts.add(put);
    return put.finally(() => this.#puts.delete(put));
  }

  putAll(sources: readonly BlobSource[]): Promise<readonly BlobReference[]> {
    return mapConcurrently(sources, this.#backend.concurrency, (source) => this.put(source));
  }

  async *read(digest: string): AsyncGenerator<Uint8Array> {
    const packed = await this.#fetch(digest);
    yield* unpack(this.#expected(digest), packed);
  }

  async get(digest: string): Promise<Uint8Array> {
    const packed = await this.#fetch(digest);
    return await unpackWhole(this.#expected(digest), packed);
  }

  async has(digest: string): Promise<boolean> {
    this.#requireOpen(digest);
    if ((await this.#backend.size(digest)) !== null) return true;
    await this.#backend.requireStore();
    return false;
  }

  async *list(): AsyncGenerator<readonly StoredBlob[]> {
    this.#requireOpen();
    yield* this.#backend.list();
  }

  async erase(digest: string): Promise<boolean> {
    this.#requireWritable('erase', digest);
    if (await this.#backend.erase(digest)) return true;
    await this.#backend.requireStore();
    return false;
  }

  async check(): Promise<readonly Check[]> {
    this.#requireOpen();
    const checks = await this.#backend.check();
    try {
      for await (const batch of this.#backend.list()) {
        const some = batch.filter((blob) => blob.storedBytes <= wholeBytes).slice(0, sampled);
        for (const { digest } of some) await this.get(digest);
        if (some.length === 0) break;
        return [...checks, ok('digests', `${some.length} blobs were read and match their digests`)];
      }
      return checks;
    } catch (error) {
      return [...checks, failure('digests', error)];
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#puts);
    await this.#backend.close();
  }

  async #gatherAndPut(source: BlobSource): Promise<BlobReference> {
    const gathered = await gather(source);
    return gathered instanceof Uint8Array ? this.#putWhole(gathered) : this.#putPieces(gathered);
  }

  /** Concurrent puts of the same bytes, which are common for prompts, are written once. */
  #putWhole(bytes: Buffer): Promise<BlobReference> {
    const digest = sha256(bytes);
    return getOrCreate(this.#underway, digest, () =>
      this.#store(digest, bytes).finally(() => this.#underway.delete(digest)),
    );
  }

  async #store(digest: string, bytes: Buffer): Promise<BlobReference> {
    if (await this.#isSound(digest)) await this.#backend.sync(digest);
    else await this.#backend.store(digest, packWhole(bytes));
    return { digest, bytes: bytes.byteLength };
  }

  /** The digest of a large blob is known only at its end, so it is compressed into a file first. */
  async #putPieces(pieces: AsyncIterable<Buffer>): Promise<BlobReference> {
    const file = await this.#backend.stagingFile();
    try {
      const { digest, bytes, storedBytes } = await packFile(pieces, file);
      // If reading it again costs a download, the same size is sufficient proof.
      const isThere = this.#backend.isRemote
        ? (await this.#backend.size(digest)) === storedBytes
        : await this.#isSound(digest);
      await (isThere ? this.#backend.sync(digest) : this.#backend.storeFile(digest, file, storedBytes));
      return { digest, bytes };
    } finally {
      await removeQuietly(file);
    }
  }

  /** Whether the stored content matches the digest. Reads all of it. */
  async #isSound(digest: string): Promise<boolean> {
    try {
      const packed = await this.#backend.fetch(digest);
      if (packed === null) return false;
      for await (const _ of unpack(this.#expected(digest), packed));
      return true;
    } catch (error) {
      if (error instanceof BlobDamaged) return false;
      throw error;
    }
  }

  async #fetch(digest: string): Promise<Packed> {
    this.#requireOpen(digest);
    const packed = await this.#backend.fetch(digest);
    if (packed !== null) return packed;
    await this.#backend.requireStore();
    throw new BlobMissing(digest, this.url);
  }

  #expected(digest: string): Expected {
    return { digest, place: this.#backend.placeOf(digest) };
  }

  #requireOpen(digest?: string): void {
    if (this.#closed) throw blobsClosed(this.url);
    if (digest !== undefined) requireDigest(digest);
  }

  #requireWritable(what: string, digest?: string): void {
    this.#requireOpen(digest);
    if (this.#readOnly) throw blobsReadOnly(this.url, what);
  }
}

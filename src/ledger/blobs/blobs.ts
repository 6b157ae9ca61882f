// The blob store: bytes too large or too private to stand in an event, found again by their SHA-256. What is there is
// never changed, only erased. One contract suite (contract/) holds every store to this.
import type { Check } from '../checks.ts';

/** What an event says of a blob: the SHA-256 of its bytes as they were handed in, and how many they are. */
export interface BlobReference {
  readonly digest: string;
  readonly bytes: number;
}

export type BlobSource = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface StoredBlob {
  readonly digest: string;
  /** What it takes in the store, compressed. */
  readonly storedBytes: number;
}

export interface OpenBlobsOptions {
  /** Make the store where there is none; otherwise that is BlobStoreMissing. */
  readonly create?: boolean;
  /** Never write: `put` and `erase` throw BlobsReadOnly. */
  readonly readOnly?: boolean;
}

export interface Blobs {
  /** Where they are, as a person would type it. */
  readonly url: string;

  /**
   * Stores bytes, once: what is there already is not written again, and what is there but damaged is mended. When it
   * resolves, they are durable. Of a string, its UTF-8 is stored.
   */
  put(bytes: BlobSource): Promise<BlobReference>;

  /**
   * Stores many, several at a time: far faster than one after the other. References come in the order of what was handed
   * in. When it resolves, all are durable; when it rejects, nothing is under way any more, and some may be there.
   */
  putAll(sources: readonly BlobSource[]): Promise<readonly BlobReference[]>;

  /**
   * The bytes in pieces, whatever their size. They are checked on the way: the last piece is not handed out when all
   * together are not what the digest says. Throws BlobMissing, BlobDamaged.
   */
  read(digest: string): AsyncIterable<Uint8Array>;

  /** The bytes as a whole, checked. Throws BlobMissing, BlobDamaged. */
  get(digest: string): Promise<Uint8Array>;

  /** Is it there? Nothing of it is read: only `get` and `read` tell whether it is sound. */
  has(digest: string): Promise<boolean>;

  /** All blobs, in batches, in the order of their digests. What is put or erased meanwhile may be among them or not. */
  list(): AsyncIterable<readonly StoredBlob[]>;

  /** Destroys a blob for good; false when there was none. A second call is no mistake. */
  erase(digest: string): Promise<boolean>;

  /** What `icecore doctor` can say of it; changes nothing. */
  check(): Promise<readonly Check[]>;

  close(): Promise<void>;
}

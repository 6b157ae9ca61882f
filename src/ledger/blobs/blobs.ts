// The blob store: content too large or too private to be part of an event, found by its SHA-256. Blobs are never changed, only
// erased. One contract suite (contract/) tests every store.
import type { Check } from '../checks.ts';
import { badDigest } from './errors.ts';

/** How an event names a blob: the SHA-256 of its original bytes, and their number. */
export interface BlobReference {
  readonly digest: string;
  readonly bytes: number;
}

/** The content of a blob: text (stored as UTF-8), bytes, or a stream of bytes. */
export type BlobSource = string | Uint8Array | AsyncIterable<Uint8Array>;

/** A blob as `list` reports it. */
export interface StoredBlob {
  readonly digest: string;
  /** The compressed size in the store. */
  readonly storedBytes: number;
}

/** How to open a blob store. */
export interface OpenBlobsOptions {
  /** Creates the store if there is none; otherwise opening throws BlobStoreMissing. */
  readonly create?: boolean;
  /** Never write: `put` and `erase` throw BlobsReadOnly. */
  readonly readOnly?: boolean;
}

/** A blob store: content of any size, stored once and found by its SHA-256. */
export interface Blobs {
  /** Where the blobs are, as a person would type it. */
  readonly url: string;

  /**
   * Stores bytes once: an existing blob is not written again, and a damaged one is repaired. When it resolves, they are durable.
   * A string is stored as UTF-8.
   */
  put(bytes: BlobSource): Promise<BlobReference>;

  /**
   * Stores many blobs concurrently, which is much faster than one after another. References are in the order of the sources.
   * When it resolves, all are durable; when it rejects, no work is pending, and some may be stored.
   */
  putAll(sources: readonly BlobSource[]): Promise<readonly BlobReference[]>;

  /**
   * The bytes in pieces, whatever their size. They are verified while reading: the last piece is withheld if the whole does not
   * match the digest. Throws BlobMissing, BlobDamaged.
   */
  read(digest: string): AsyncIterable<Uint8Array>;

  /** All bytes at once, verified. Throws BlobMissing, BlobDamaged. */
  get(digest: string): Promise<Uint8Array>;

  /** Whether the blob exists. The content is not read; only `get` and `read` verify it. */
  has(digest: string): Promise<boolean>;

  /** All blobs, in batches, in the order of their digests. Blobs that are put or erased meanwhile may or may not be included. */
  list(): AsyncIterable<readonly StoredBlob[]>;

  /** Destroys a blob for good; false if there was none. Repeating the call is harmless. */
  erase(digest: string): Promise<boolean>;

  /** The checks of `icecore doctor`; they change nothing. */
  check(): Promise<readonly Check[]>;

  /** Releases everything. Later calls throw BlobsClosed. */
  close(): Promise<void>;
}

/** Content up to this many bytes is handled as a whole; larger content is processed in pieces. */
export const wholeBytes = 256 * 1024;

/** Stored content: small blobs as a whole, others in pieces. */
export type Packed = Uint8Array | AsyncIterable<Uint8Array>;

/**
 * The interface of a place for blobs: it stores compressed bytes under their digest, durably, and returns them unchanged.
 * Hashing, compression and verification are done once for all places (open.ts).
 */
export interface BlobBackend {
  readonly url: string;
  /** The number of concurrent puts that is fastest. */
  readonly concurrency: number;
  /** Whether reading a large blob again costs a download. */
  readonly isRemote: boolean;

  /** The location of a blob, for messages. */
  placeOf(digest: string): string;
  /** A new name for a local file: large blobs are compressed into it before their digest is known. */
  stagingFile(): Promise<string>;
  /** The stored content; null: none. */
  fetch(digest: string): Promise<Packed | null>;
  /** The compressed size; null: not stored. */
  size(digest: string): Promise<number | null>;
  /** Stores the content, replacing any existing one. When it resolves, it is durable. */
  store(digest: string, packed: Uint8Array): Promise<void>;
  /** The same for a staging file that is already on disk; moves the file or leaves it. */
  storeFile(digest: string, file: string, bytes: number): Promise<void>;
  /** Makes an existing blob durable, whichever process put it. */
  sync(digest: string): Promise<void>;
  /** Deletes a blob; false if there was none. */
  erase(digest: string): Promise<boolean>;
  /** All blobs, in batches, in the order of their digests. */
  list(): AsyncIterable<readonly StoredBlob[]>;
  /** Throws if the whole store is gone, and not only a blob. */
  requireStore(): Promise<void>;
  /** Its checks for `icecore doctor`: whether the store can be reached and used. */
  check(): Promise<readonly Check[]>;
  /** Releases connections and files; the backend is not used afterwards. */
  close(): Promise<void>;
}

/** Throws BadDigest, so that other text never becomes a path. */
export function requireDigest(digest: string): void {
  if (typeof digest !== 'string' || !/^[0-9a-f]{64}$/.test(digest)) throw badDigest(String(digest));
}

/** `ab/cdef….zst`: keys sort like digests. Two digits make 256 folders, which any file system handles fast. */
export function keyOf(digest: string): string {
  return `${digest.slice(0, 2)}/${digest.slice(2)}.zst`;
}

/** The digest of a key; null: the name is not a key. */
export function digestOf(key: string): string | null {
  const [, shard, rest] = /^([0-9a-f]{2})\/([0-9a-f]{62})\.zst$/.exec(key) ?? [];
  return rest === undefined ? null : `${shard}${rest}`;
}

// The blob store: bytes too large or too private to be part of an event, found again by their SHA-256. What is there is
// never changed, only erased. One contract suite (contract/) tests every store.
import type { Check } from '../checks.ts';
import { BadDigest } from './errors.ts';

/** What an event says of a blob: the SHA-256 of its bytes as they were handed in, and how many they are. */
export interface BlobReference {
  readonly digest: string;
  readonly bytes: number;
}

/** The content of a blob: text (stored as UTF-8), bytes, or a stream of bytes. */
export type BlobSource = string | Uint8Array | AsyncIterable<Uint8Array>;

/** A blob as `list` reports it. */
export interface StoredBlob {
  readonly digest: string;
  /** What it takes in the store, compressed. */
  readonly storedBytes: number;
}

/** How to open a blob store. */
export interface OpenBlobsOptions {
  /** Make the store where there is none; otherwise that is BlobStoreMissing. */
  readonly create?: boolean;
  /** Never write: `put` and `erase` throw BlobsReadOnly. */
  readonly readOnly?: boolean;
}

/** A blob store: content of any size, stored once and found by its SHA-256. */
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

  /** Whether it is there. Nothing of it is read: only `get` and `read` tell whether it is sound. */
  has(digest: string): Promise<boolean>;

  /** All blobs, in batches, in the order of their digests. What is put or erased meanwhile may be among them or not. */
  list(): AsyncIterable<readonly StoredBlob[]>;

  /** Destroys a blob for good; false when there was none. A second call is no mistake. */
  erase(digest: string): Promise<boolean>;

  /** What `icecore doctor` can say of it; changes nothing. */
  check(): Promise<readonly Check[]>;

  /** Releases everything. Later calls throw BlobsClosed. */
  close(): Promise<void>;
}

/** Up to this many bytes are handled as a whole; more goes through memory in pieces. */
export const wholeBytes = 256 * 1024;

/** As they are stored: small ones as a whole, others in pieces. */
export type Packed = Uint8Array | AsyncIterable<Uint8Array>;

/**
 * What a place must do to hold blobs: store compressed bytes under their digest, durably, and hand them back as they are.
 * Hashing, compressing and verifying are done above it, once for all places (open.ts).
 */
export interface BlobBackend {
  readonly url: string;
  /** How many puts at a time are the fastest. */
  readonly concurrency: number;
  /** Reading a large blob again is a download. */
  readonly isRemote: boolean;

  /** Where a blob is, for messages. */
  placeOf(digest: string): string;
  /** A new name for a local file: large blobs are written there, compressed, before their digest is known. */
  stagingFile(): Promise<string>;
  /** What is stored; null when there is nothing. */
  fetch(digest: string): Promise<Packed | null>;
  /** What it takes, compressed; null when there is nothing. */
  size(digest: string): Promise<number | null>;
  /** Stores it, replacing what is there. When it resolves, it is durable. */
  store(digest: string, packed: Uint8Array): Promise<void>;
  /** The same for a staging file, already on disk; takes the file away or leaves it. */
  storeFile(digest: string, file: string, bytes: number): Promise<void>;
  /** Makes durable what is there, whoever put it. */
  sync(digest: string): Promise<void>;
  /** Deletes a blob; false when there was none. */
  erase(digest: string): Promise<boolean>;
  /** All blobs, in batches, in the order of their digests. */
  list(): AsyncIterable<readonly StoredBlob[]>;
  /** Throws when not only a blob but the whole store is gone. */
  requireStore(): Promise<void>;
  /** Its part of `icecore doctor`: whether the store can be reached and used. */
  check(): Promise<readonly Check[]>;
  /** Releases connections and files; the backend is not used afterwards. */
  close(): Promise<void>;
}

/** Throws BadDigest: what is no digest must not become a path. */
export function requireDigest(digest: string): void {
  if (typeof digest !== 'string' || !/^[0-9a-f]{64}$/.test(digest)) throw new BadDigest(String(digest));
}

/** `ab/cdef….zst`: in the order of the keys, digests are in order. Two digits make 256 folders that any file system is quick with. */
export function keyOf(digest: string): string {
  return `${digest.slice(0, 2)}/${digest.slice(2)}.zst`;
}

/** The digest whose key this is; null when it is something else's name. */
export function digestOf(key: string): string | null {
  const [, shard, rest] = /^([0-9a-f]{2})\/([0-9a-f]{62})\.zst$/.exec(key) ?? [];
  return rest === undefined ? null : `${shard}${rest}`;
}

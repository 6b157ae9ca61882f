// What a place must be able to do to hold blobs: keep compressed bytes under a digest, durably, and hand them back as
// they are. Hashing, compressing and verifying are done above it, once for all places (verified.ts).
import type { Check } from '../checks.ts';
import type { StoredBlob } from './blobs.ts';

/** Up to this many bytes are handled as a whole; more goes through memory in pieces. */
export const wholeBytes = 256 * 1024;

/** As they are stored: small ones as a whole, others in pieces. */
export type Packed = Uint8Array | AsyncIterable<Uint8Array>;

export interface Shelf {
  readonly url: string;
  /** So many puts at a time are the fastest. */
  readonly width: number;
  /** To read a large blob again is to download it. */
  readonly remote: boolean;

  /** Where a blob lies, for messages. */
  placeOf(digest: string): string;
  /** A new name for a local file: large blobs are written there, compressed, before their digest is known. */
  spoolFile(): Promise<string>;
  /** What is stored; null when there is nothing. */
  fetch(digest: string): Promise<Packed | null>;
  /** What it takes, compressed; null when there is nothing. */
  size(digest: string): Promise<number | null>;
  /** Stores it, replacing what is there. When it resolves, it is durable. */
  keep(digest: string, packed: Uint8Array): Promise<void>;
  /** The same for a file of the spool, already on disk; takes the file away or leaves it. */
  keepFile(digest: string, file: string, bytes: number): Promise<void>;
  /** Makes durable what is there, whoever put it. */
  settle(digest: string): Promise<void>;
  erase(digest: string): Promise<boolean>;
  list(): AsyncIterable<readonly StoredBlob[]>;
  /** Throws when not only a blob but the whole store is gone. */
  requireStore(): Promise<void>;
  check(): Promise<readonly Check[]>;
  close(): Promise<void>;
}

// Names of blobs: a digest, and where a store keeps what has that digest.
import { BadDigest } from './errors.ts';

const digestPattern = /^[0-9a-f]{64}$/;
const keyPattern = /^([0-9a-f]{2})\/([0-9a-f]{62})\.zst$/;

/** Throws BadDigest: what is no digest must not become a path. */
export function requireDigest(digest: string): void {
  if (typeof digest !== 'string' || !digestPattern.test(digest)) throw new BadDigest(String(digest));
}

/** The first two digits divide the blobs into 256 shards: folders of a size that any file system is quick with. */
export function shardOf(digest: string): string {
  return digest.slice(0, 2);
}

/** `ab/cdef….zst`: in the order of the keys, digests are in order. */
export function keyOf(digest: string): string {
  return `${shardOf(digest)}/${digest.slice(2)}.zst`;
}

/** The digest whose key this is; null when it is something else's name. */
export function digestOf(key: string): string | null {
  const found = keyPattern.exec(key);
  return found === null ? null : `${found[1]}${found[2]}`;
}

// Bytes for the tests of blobs, the same in every run; damaged bytes; and helpers to inspect a store.
import { createHash } from 'node:crypto';
import type { Blobs, StoredBlob } from '../blobs.ts';

export const KiB = 1024;
export const MiB = 1024 * 1024;

/** Incompressible bytes. */
export function noise(bytes: number, seed = 'noise'): Buffer {
  return createHash('shake256', { outputLength: bytes }).update(seed).digest();
}

/** Compressible bytes, like the output of a model. */
export function prose(bytes: number, seed = 'prose'): Buffer {
  const word = (index: number): string =>
    noise(4, `${seed}/${index}`)
      .toString('hex')
      .slice(0, 2 + (index % 6));
  const words = Array.from({ length: 500 }, (_, index) => word(index));
  const parts: string[] = [];
  for (let length = 0, n = 0; length <= bytes; n++) {
    const next = words[(n * n * 7 + n) % words.length] ?? '';
    parts.push(next);
    length += next.length + 1;
  }
  return Buffer.from(parts.join(' ')).subarray(0, bytes);
}

/** The bytes in chunks of changing sizes, all in one buffer that is reused, as fast readers do. */
export async function* trickle(bytes: Uint8Array, chunk = 70_001): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(chunk);
  for (let at = 0, n = 1; at < bytes.byteLength; n++) {
    const part = bytes.subarray(at, at + Math.max(1, (chunk * (n % 5)) >> 2));
    buffer.set(part);
    yield buffer.subarray(0, part.byteLength);
    at += part.byteLength;
  }
}

/** A flipped bit in the middle; a truncated end; nothing left. */
export const damages = ['flipped', 'cut', 'emptied'] as const;

export type Damage = (typeof damages)[number];

/** Stored bytes after an accident. */
export function damaged(stored: Buffer, damage: Damage): Buffer {
  if (damage === 'emptied') return Buffer.alloc(0);
  if (damage === 'cut') return stored.subarray(0, stored.byteLength - Math.ceil(stored.byteLength / 3));
  const flipped = Buffer.from(stored);
  const middle = flipped.byteLength >> 1;
  flipped.writeUInt8(flipped.readUInt8(middle) ^ 1, middle);
  return flipped;
}

export async function listed(blobs: Blobs): Promise<StoredBlob[]> {
  const found: StoredBlob[] = [];
  for await (const batch of blobs.list()) found.push(...batch);
  return found;
}

export async function digestsIn(blobs: Blobs): Promise<string[]> {
  return digestsOf(await listed(blobs));
}

export async function readAll(blobs: Blobs, digest: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of blobs.read(digest)) pieces.push(piece);
  return Buffer.concat(pieces);
}

export function digestsOf(references: readonly { readonly digest: string }[]): string[] {
  return references.map(({ digest }) => digest);
}

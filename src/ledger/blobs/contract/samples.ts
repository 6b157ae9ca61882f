// Bytes for the contract, the same in every run.
import { createHash } from 'node:crypto';

export const KiB = 1024;
export const MiB = 1024 * 1024;

/** Bytes that cannot be compressed. */
export function noise(bytes: number, seed = 'noise'): Buffer {
  return createHash('shake256', { outputLength: bytes }).update(seed).digest();
}

/** Bytes that can, like what a model says. */
export function prose(bytes: number, seed = 'prose'): Buffer {
  const words = Array.from({ length: 500 }, (_, index) =>
    noise(4, `${seed}/${index}`)
      .toString('hex')
      .slice(0, 2 + (index % 6)),
  );
  const parts: string[] = [];
  for (let length = 0, n = 0; length <= bytes; n++) {
    const word = words[(n * n * 7 + n) % words.length] ?? '';
    parts.push(word);
    length += word.length + 1;
  }
  return Buffer.from(parts.join(' ')).subarray(0, bytes);
}

/** The bytes in chunks of changing sizes, all handed out in one buffer that is filled anew, as fast readers do. */
export async function* trickle(bytes: Uint8Array, chunk = 70_001): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(chunk);
  for (let at = 0, n = 1; at < bytes.byteLength; n++) {
    const part = bytes.subarray(at, at + Math.max(1, (chunk * (n % 5)) >> 2));
    buffer.set(part);
    yield buffer.subarray(0, part.byteLength);
    at += part.byteLength;
  }
}

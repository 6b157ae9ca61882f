// What was altered behind the store's back is never handed out as if it had not been.
import { describe, expect, it } from 'vitest';
import type { Blobs } from '../blobs.ts';
import type { BlobBench, Damage } from './fixture.ts';
import { KiB, MiB, noise, prose } from './samples.ts';

const damages: readonly Damage[] = ['flipped', 'cut', 'emptied'];
const samples: readonly (readonly [string, Buffer])[] = [
  ['a byte', Buffer.from('x')],
  ['noise', noise(5 * KiB)],
  ['a text', prose(20 * KiB)],
  ['a large text', prose(8 * MiB)],
  ['much noise', noise(3 * MiB)],
];
const cases = samples.flatMap(([name, bytes]) => damages.map((damage) => [name, damage, bytes] as const));

export function damaging(bench: () => BlobBench): void {
  describe('damage', () => {
    it.each(cases)('of %s that was %s is told, and the last piece is not handed out', async (_, damage, bytes) => {
      const blobs = await bench().fresh();
      const { digest } = await blobs.put(bytes);
      await bench().fixture.damage(blobs.url, digest, damage);
      const damaged = { name: 'BlobDamaged', kind: 'damaged', digest, message: expect.stringMatching(told) };
      await expect(blobs.get(digest)).rejects.toMatchObject(damaged);
      const { handedOut, error } = await readUntilError(blobs, digest);
      expect(error).toMatchObject(damaged);
      expect(handedOut).toBeLessThan(bytes.byteLength);
    });

    it('of a few is found by a check', async () => {
      const blobs = await bench().fresh();
      const { digest } = await blobs.put(noise(KiB));
      await bench().fixture.damage(blobs.url, digest, 'flipped');
      const failed = (await blobs.check()).filter((check) => check.status === 'failed');
      expect(failed).toEqual([expect.objectContaining({ name: 'digests', found: expect.stringContaining(digest) })]);
    });

    it.each(damages)('of a small one that was %s is mended when the same bytes are put again', async (damage) => {
      const blobs = await bench().fresh();
      const bytes = prose(10 * KiB);
      const { digest } = await blobs.put(bytes);
      await bench().fixture.damage(blobs.url, digest, damage);
      await blobs.put(bytes);
      expect(bytes.equals(await blobs.get(digest))).toBe(true);
    });

    it('of a large one that was cut is mended when the same bytes are put again', async () => {
      const blobs = await bench().fresh();
      const bytes = noise(2 * MiB);
      const { digest } = await blobs.put(bytes);
      await bench().fixture.damage(blobs.url, digest, 'cut');
      await blobs.put(bytes);
      expect(bytes.equals(await blobs.get(digest))).toBe(true);
    });

    it('does not keep a blob from being erased', async () => {
      const blobs = await bench().fresh();
      const { digest } = await blobs.put('private');
      await bench().fixture.damage(blobs.url, digest, 'emptied');
      expect(await blobs.erase(digest)).toBe(true);
      expect(await blobs.has(digest)).toBe(false);
    });
  });
}

const told = /hash to [0-9a-f]{64}|cannot be decompressed: ./;

async function readUntilError(blobs: Blobs, digest: string): Promise<{ handedOut: number; error: unknown }> {
  let handedOut = 0;
  try {
    for await (const piece of blobs.read(digest)) handedOut += piece.byteLength;
    return { handedOut, error: undefined };
  } catch (error) {
    return { handedOut, error };
  }
}

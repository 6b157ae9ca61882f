// What is put can be had again, byte for byte, and is stored once.
import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BlobSource } from '../blobs.ts';
import { type BlobBench, digestsIn, digestsOf, readAll } from './fixture.ts';
import { KiB, MiB, noise, prose, trickle } from './samples.ts';

export function keeping(bench: () => BlobBench): void {
  describe('keeping', () => {
    const sizes: readonly (readonly [string, Buffer])[] = [
      ['nothing', Buffer.alloc(0)],
      ['one byte', Buffer.from([0])],
      ['a text', prose(4 * KiB)],
      ['just what is handled as a whole', noise(256 * KiB)],
      ['a byte more', noise(256 * KiB + 1)],
      ['a MiB of noise', noise(MiB)],
      ['exactly two pieces', prose(MiB)],
      ['20 MiB of noise', noise(20 * MiB)],
      ['20 MiB of prose', prose(20 * MiB)],
      ['64 MiB of zeros, which shrink to almost nothing', Buffer.alloc(64 * MiB)],
    ];

    it.each(sizes)('%s comes back, whole and in pieces, handed in whole or in pieces', async (_, bytes) => {
      const blobs = await bench().fresh();
      const wanted = { digest: hash('sha256', bytes), bytes: bytes.byteLength };
      for (const source of [bytes, trickle(bytes)]) {
        expect(await blobs.put(source)).toEqual(wanted);
        expect(bytes.equals(await blobs.get(wanted.digest))).toBe(true);
        expect(bytes.equals(await readAll(blobs, wanted.digest))).toBe(true);
        await blobs.erase(wanted.digest);
      }
    });

    it('any bytes come back', async () => {
      const blobs = await bench().fresh();
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
          const { digest } = await blobs.put(bytes);
          expect(digest).toBe(hash('sha256', bytes));
          expect(Buffer.from(await blobs.get(digest)).equals(bytes)).toBe(true);
        }),
        { numRuns: 50 },
      );
    });

    it('a string is its UTF-8', async () => {
      const blobs = await bench().fresh();
      const text = 'Eis 🧊 wächst, Schicht um Schicht.';
      const { digest, bytes } = await blobs.put(text);
      expect(bytes).toBe(Buffer.byteLength(text));
      expect(Buffer.from(await blobs.get(digest)).toString()).toBe(text);
    });

    it('the same bytes are stored once, however they are handed in', async () => {
      const blobs = await bench().fresh();
      const bytes = prose(600 * KiB);
      const first = await blobs.put(bytes);
      expect(await blobs.put(trickle(bytes))).toEqual(first);
      expect(await blobs.put(bytes.toString())).toEqual(first);
      expect(await digestsIn(blobs)).toEqual([first.digest]);
    });

    it('what shrinks is stored small', async () => {
      const blobs = await bench().fresh();
      await blobs.put(prose(100 * KiB));
      for await (const [blob] of blobs.list()) expect(blob?.storedBytes).toBeLessThan(50 * KiB);
    });

    it('many at once come back in the order they were handed in', async () => {
      const blobs = await bench().fresh();
      const texts = Array.from({ length: 300 }, (_, index) => `prompt ${index % 200}`);
      const sources: BlobSource[] = [...texts, trickle(noise(MiB)), noise(300 * KiB)];
      const references = await blobs.putAll(sources);
      expect(digestsOf(references)).toEqual(
        [...texts, noise(MiB), noise(300 * KiB)].map((bytes) => hash('sha256', bytes)),
      );
      expect(await digestsIn(blobs)).toHaveLength(202);
    });

    it('of none at once there are none', async () => {
      const blobs = await bench().fresh();
      expect(await blobs.putAll([])).toEqual([]);
    });

    it('what was put is there for whoever opens the store later', async () => {
      const blobs = await bench().fresh();
      const { digest } = await blobs.put('layer on layer');
      await blobs.close();
      const again = await bench().open(blobs.url, { readOnly: true });
      expect(Buffer.from(await again.get(digest)).toString()).toBe('layer on layer');
    });
  });

  describe('a source that fails', () => {
    async function* failing(bytes: Buffer): AsyncGenerator<Uint8Array> {
      yield* trickle(bytes);
      throw new Error('the producer stumbled');
    }

    it.each([10, 3 * MiB])('after %i bytes fails the put with its own error, and nothing is stored', async (size) => {
      const blobs = await bench().fresh();
      await expect(blobs.put(failing(noise(size)))).rejects.toThrow('the producer stumbled');
      expect(await digestsIn(blobs)).toEqual([]);
    });

    it('fails all that were put with it, once they are over', async () => {
      const blobs = await bench().fresh();
      await expect(blobs.putAll(['one', failing(noise(10)), 'three'])).rejects.toThrow('the producer stumbled');
      const before = await digestsIn(blobs);
      expect(await digestsIn(blobs)).toEqual(before);
    });
  });
}

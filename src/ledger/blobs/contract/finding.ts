// What is there can be asked for, listed and erased.
import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type BlobBench, digestsIn, digestsOf } from './fixture.ts';
import { KiB, MiB, noise } from './samples.ts';

const nowhere = hash('sha256', 'was never put');

export function finding(bench: () => BlobBench): void {
  describe('finding', () => {
    it('says what is there and what is not', async () => {
      const blobs = await bench().fresh();
      const { digest } = await blobs.put('here');
      expect(await blobs.has(digest)).toBe(true);
      expect(await blobs.has(nowhere)).toBe(false);
    });

    it('what is not there is missing, by name', async () => {
      const blobs = await bench().fresh();
      const missing = { name: 'BlobMissing', kind: 'not-found', digest: nowhere };
      await expect(blobs.get(nowhere)).rejects.toMatchObject(missing);
      await expect(blobs.read(nowhere)[Symbol.asyncIterator]().next()).rejects.toMatchObject(missing);
    });

    it('lists nothing where there is nothing', async () => {
      expect(await digestsIn(await bench().fresh())).toEqual([]);
    });

    it('lists more than fit into one answer, each once, in order, with its size', async () => {
      const blobs = await bench().fresh();
      const references = await blobs.putAll(Array.from({ length: 1100 }, (_, index) => `blob ${index}`));
      expect(await digestsIn(blobs)).toEqual(digestsOf(references).sort());
      let stored = 0;
      for await (const batch of blobs.list()) for (const blob of batch) stored += Math.sign(blob.storedBytes);
      expect(stored).toBe(1100);
    });

    it('can be stopped in the middle of a list, and of a blob', async () => {
      const blobs = await bench().fresh();
      const { digest } = await blobs.put(noise(5 * MiB));
      for await (const piece of blobs.read(digest)) {
        expect(piece.byteLength).toBeLessThan(5 * MiB);
        break;
      }
      for await (const batch of blobs.list()) {
        expect(batch).toHaveLength(1);
        break;
      }
      expect(await blobs.erase(digest)).toBe(true);
    });
  });

  describe('erasing', () => {
    it('destroys a blob and no other; again is no mistake', async () => {
      const blobs = await bench().fresh();
      const [gone, kept] = digestsOf(await blobs.putAll(['of ada', 'of bob'])) as [string, string];
      expect(await blobs.erase(gone)).toBe(true);
      expect(await blobs.erase(gone)).toBe(false);
      expect(await blobs.has(gone)).toBe(false);
      await expect(blobs.get(gone)).rejects.toMatchObject({ name: 'BlobMissing' });
      expect(await digestsIn(blobs)).toEqual([kept]);
    });

    it('of what was never there is false', async () => {
      expect(await (await bench().fresh()).erase(nowhere)).toBe(false);
    });

    it('leaves room to put the same again', async () => {
      const blobs = await bench().fresh();
      for (const bytes of [noise(10), noise(300 * KiB)]) {
        const { digest } = await blobs.put(bytes);
        await blobs.erase(digest);
        await blobs.put(bytes);
        expect(bytes.equals(await blobs.get(digest))).toBe(true);
      }
    });
  });

  describe('a check', () => {
    it('finds nothing wrong with a sound store, and changes nothing', async () => {
      const blobs = await bench().fresh();
      const { digest } = await blobs.put('sound');
      const checks = await blobs.check();
      expect(checks.length).toBeGreaterThan(0);
      expect(checks.filter((check) => check.status === 'failed')).toEqual([]);
      expect(await digestsIn(blobs)).toEqual([digest]);
    });
  });
}

// What no store takes: names that are no digests, writing where only reading was meant, anything after its end.
import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Blobs } from '../blobs.ts';
import { type BlobBench, digestsIn, digestsOf } from './fixture.ts';
import { MiB, noise } from './samples.ts';

const digest = hash('sha256', 'refused');
const notDigests = ['', 'x', '../../../etc/passwd', digest.slice(1), `${digest}0`, digest.toUpperCase(), `${digest}\n`];

const uses: readonly (readonly [string, (blobs: Blobs, digest: string) => Promise<unknown>])[] = [
  ['get', (blobs, of) => blobs.get(of)],
  ['read', (blobs, of) => blobs.read(of)[Symbol.asyncIterator]().next()],
  ['has', (blobs, of) => blobs.has(of)],
  ['erase', (blobs, of) => blobs.erase(of)],
];

export function refusing(bench: () => BlobBench): void {
  describe('refusing', () => {
    it.each(uses)('%s takes nothing for a digest that is none', async (_, use) => {
      const blobs = await bench().fresh();
      for (const found of notDigests)
        await expect(use(blobs, found)).rejects.toMatchObject({ name: 'BadDigest', kind: 'bad-input' });
    });

    it('writes nothing when opened only to read', async () => {
      const { url } = await bench().fresh();
      const reader = await bench().open(url, { readOnly: true });
      const refused = { name: 'BlobsReadOnly', kind: 'unsupported' };
      await expect(reader.put('x')).rejects.toMatchObject(refused);
      await expect(reader.putAll(['x'])).rejects.toMatchObject(refused);
      await expect(reader.erase(digest)).rejects.toMatchObject(refused);
      expect(await digestsIn(reader)).toEqual([]);
    });

    it('does nothing after its end', async () => {
      const blobs = await bench().fresh();
      await blobs.close();
      await blobs.close();
      const closed = { name: 'BlobsClosed', kind: 'internal' };
      for (const [, use] of uses) await expect(use(blobs, digest)).rejects.toMatchObject(closed);
      await expect(blobs.put('x')).rejects.toMatchObject(closed);
      await expect(blobs.check()).rejects.toMatchObject(closed);
      await expect(digestsIn(blobs)).rejects.toMatchObject(closed);
    });

    it('ends only when what is under way is over', async () => {
      const blobs = await bench().fresh();
      const puts = [blobs.put('refused'), blobs.put(noise(MiB))];
      await blobs.close();
      const there = await digestsIn(await bench().open(blobs.url));
      expect(there).toEqual(digestsOf(await Promise.all(puts)).sort());
    });
  });
}

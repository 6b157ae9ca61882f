// Many put the same at the same time, from one process and from several.
import { type ChildProcess, fork } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type BlobBench, digestsIn, digestsOf } from './fixture.ts';
import { KiB, noise, prose } from './samples.ts';

const toAndFro = 'to and fro';
const program = fileURLToPath(new URL('./putter-process.ts', import.meta.url));

export function crowding(bench: () => BlobBench): void {
  describe('at the same time', () => {
    it('the same bytes may be put again and again', async () => {
      const blobs = await bench().fresh();
      const another = await bench().open(blobs.url);
      for (const bytes of [prose(KiB), noise(400 * KiB)]) {
        const puts = Array.from({ length: 20 }, (_, index) => (index % 2 ? blobs : another).put(bytes));
        const [digest = '', ...others] = new Set(digestsOf(await Promise.all(puts)));
        expect(others).toEqual([]);
        expect(bytes.equals(await another.get(digest))).toBe(true);
      }
      expect(await digestsIn(blobs)).toHaveLength(2);
    });

    it('processes may put the same blobs', async () => {
      const blobs = await bench().fresh();
      const children = Array.from({ length: 4 }, () => fork(program, [blobs.url, '60']));
      const said = await Promise.all(children.map(outcome));
      expect(said).toEqual(Array.from(children, () => said[0]));
      const digests = await digestsIn(blobs);
      expect(digests).toEqual([...(said[0] ?? [])].sort());
      for (const digest of digests) await blobs.get(digest);
    });

    it('putting and erasing leave a blob that is whole, or none', async () => {
      const blobs = await bench().fresh();
      for (let round = 0; round < 20; round++) {
        const [{ digest }] = await Promise.all([blobs.put(toAndFro), blobs.erase(hash('sha256', toAndFro))]);
        if (await blobs.has(digest)) await blobs.get(digest);
        await blobs.put(toAndFro);
        expect(Buffer.from(await blobs.get(digest)).toString()).toBe(toAndFro);
      }
    });
  });
}

async function outcome(child: ChildProcess): Promise<readonly string[]> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process ended with ${code}`);
  });
  const [digests] = await Promise.race([once(child, 'message'), ended]);
  return digests;
}

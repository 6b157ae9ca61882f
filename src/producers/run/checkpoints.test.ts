import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../base/testing/temporary-folder.ts';
import { openBlobs } from '../../ledger/blobs/open.ts';
import { readableCheckpoint } from './learner.ts';

it('a checkpoint is complete for each of many concurrent callers', async () => {
  const folder = temporaryFolder();
  const store = await openBlobs(`folder:${join(folder, 'blobs')}`, { create: true });
  const { digest } = await store.put(Buffer.alloc(100_000, 'w'));
  for (let round = 0; round < 10; round++) {
    const place = { folder: join(folder, `round-${round}`), blobs: async () => store, blobsOnly: true };
    const read = async (turns: number): Promise<number> => {
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      const fetched = await readableCheckpoint({ reference: digest, digest }, place);
      return (await readFile(String(fetched?.reference))).length;
    };
    const sizes = await Promise.all(Array.from({ length: 64 }, (_, i) => read(i)));
    expect(new Set(sizes)).toEqual(new Set([100_000]));
  }
});

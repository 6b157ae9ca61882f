// What the folder store supplies to the contract: folders in a temporary one.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyOf } from '../digests.ts';
import { openBlobs } from '../open.ts';
import { damaged } from './damaged.ts';
import type { BlobFixture } from './fixture.ts';

export async function folderFixture(): Promise<BlobFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-blobs-'));
  let made = 0;
  return {
    fresh: async () => {
      const url = `folder:${join(folder, String(made++))}`;
      await (await openBlobs(url, { create: true })).close();
      return url;
    },
    open: openBlobs,
    damage: async (url, digest, damage) => {
      const path = join(url.slice('folder:'.length), keyOf(digest));
      writeFileSync(path, damaged(readFileSync(path), damage));
    },
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

// Where something is made that then takes a place as a whole: a folder beside that place, so that a rename is enough. What
// somebody left there who was killed is removed on the way.
import { mkdir, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { removeQuietly, sweep, temporaryPath } from './blobs/temporary.ts';
import { makeFolder } from './folder.ts';

const name = '.icecore-unfinished';

/** Hands over an empty folder within `near`, and removes what is in it when `body` is done. */
export async function withWorkingFolder<Result>(
  near: string,
  body: (folder: string) => Promise<Result>,
): Promise<Result> {
  const unfinished = join(near, name);
  const folder = temporaryPath(unfinished);
  makeFolder(unfinished);
  await sweep(unfinished);
  await mkdir(folder, { mode: 0o700 });
  try {
    return await body(folder);
  } finally {
    await removeQuietly(folder);
    await removeIfEmpty(unfinished);
  }
}

/** For who works as near to a place as there are folders: before some were made, that was further up. */
export async function sweepAbove(near: string): Promise<void> {
  for (let below = resolve(near), above = dirname(below); above !== below; below = above, above = dirname(above)) {
    await sweep(join(above, name));
    await removeIfEmpty(join(above, name));
  }
}

/** It stays while somebody else writes into it. */
async function removeIfEmpty(unfinished: string): Promise<void> {
  await rmdir(unfinished).catch(() => undefined);
}

// Where something is made that then takes a place as a whole: a folder beside that place, so that a rename is enough. What
// somebody left there who was killed is removed on the way.
import { mkdir, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isLink } from '../base/regular-file.ts';
import { removeQuietly, sweep, temporaryPath } from './blobs/temporary.ts';
import { StorageFailed } from './errors.ts';
import { makeFolder } from './folder.ts';

const name = '.icecore-unfinished';

const remedy = 'Nothing was written. icecore keeps unfinished work there for a while: remove the link.';

/** Hands over an empty folder within `near`, and removes what is in it when `body` is done. */
export async function withWorkingFolder<Result>(
  near: string,
  body: (folder: string) => Promise<Result>,
): Promise<Result> {
  const unfinished = join(near, name);
  const folder = temporaryPath(unfinished);
  if (isLink(unfinished)) throw new StorageFailed(unfinished, 'it is a link to another place', remedy);
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

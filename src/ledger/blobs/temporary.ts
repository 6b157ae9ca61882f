// Files that are not blobs yet. They lie in a folder of their own, where nobody looks for blobs.
import { randomBytes } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const suffix = '.part';
const staleMs = 24 * 60 * 60 * 1000;

/** A name that no other process has. */
export function temporaryPath(folder: string): string {
  return join(folder, `icecore-${process.pid}-${randomBytes(9).toString('hex')}${suffix}`);
}

/** What cannot be removed now is swept away another day. */
export async function removeQuietly(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => {});
}

/** Removes what writers left that were killed. What is younger than a day may still be growing. */
export async function sweep(folder: string, now = Date.now()): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names) {
    if (!name.endsWith(suffix)) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found !== null && now - found.mtimeMs > staleMs) await removeQuietly(path);
  }
}

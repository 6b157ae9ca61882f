// Files that are there whole or not at all, also after a power failure: written beside, made durable, then given their name.
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces a file of that name. */
export async function writeWhole(path: string, content: Uint8Array | string): Promise<void> {
  const part = `${path}.part`;
  // What a killed writer left, or a link that somebody put there, is replaced and never written through.
  await rm(part, { force: true });
  await writeFile(part, content, { flush: true, flag: 'wx' });
  await rename(part, path);
  await syncFolder(dirname(path));
}

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders, and makes names durable by itself.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

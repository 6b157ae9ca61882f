// Writes files atomically and durably: to a temporary name, flushed, then renamed.
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces a file of that name. */
export async function writeWhole(path: string, content: Uint8Array | string): Promise<void> {
  const part = `${path}.part`;
  // The remains of a killed writer, or a link, are removed and never written through.
  await rm(part, { force: true });
  await writeFile(part, content, { flush: true, flag: 'wx' });
  await rename(part, path);
  await syncFolder(dirname(path));
}

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders, and makes names durable itself.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

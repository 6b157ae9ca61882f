// A folder that holds blobs: a marker that tells it from an empty mount point, a folder for what comes in, and shards.
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../../schemas/json-text.ts';
import { NotRegularFile, readRegularFile } from '../../base/regular-file.ts';
import { syncFolder } from '../../base/write-whole.ts';
import { removeQuietly, temporaryPath } from '../temporary.ts';
import { makeFolder } from './durable.ts';
import { BlobStoreMissing, NewerBlobStore } from './errors.ts';
import { codeOf, isMissing, translate } from './faults.ts';

export const markerName = 'icecore-blobs.json';
const format = 1;
const longestMarker = 64 * 1024;

export function incomingIn(root: string): string {
  return join(root, 'incoming');
}

export async function hasMarker(root: string): Promise<boolean> {
  const path = join(root, markerName);
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (isMissing(error)) return false;
    throw translate(error, path);
  }
}

/** Throws BlobStoreMissing where no blobs are kept, NewerBlobStore where this icecore cannot keep them. */
export async function requireFormat(url: string, root: string): Promise<void> {
  const found = await readFormat(url, root);
  if (found !== format) throw new NewerBlobStore(url, found, format);
}

async function readFormat(url: string, root: string): Promise<unknown> {
  const path = join(root, markerName);
  try {
    const marker: unknown = parseJson(readRegularFile(path, longestMarker).toString('utf8'));
    return (marker as { format?: unknown } | null)?.format;
  } catch (error) {
    if (error instanceof SyntaxError) throw new BlobStoreMissing(url, `${markerName} is not JSON`);
    if (error instanceof NotRegularFile) throw new BlobStoreMissing(url, error.message);
    if (codeOf(error) === 'ENOTDIR') throw new BlobStoreMissing(url, `${root} is not a folder`);
    if (!isMissing(error)) throw translate(error, path);
    const found = (await isFolder(root)) ? `the folder ${root} has no ${markerName}` : `there is no folder ${root}`;
    throw new BlobStoreMissing(url, found);
  }
}

/** Makes what is missing of the layout, durably. Several processes may do so at once. */
export async function makeLayout(root: string): Promise<void> {
  try {
    await makeFolder(root);
    await mkdir(incomingIn(root), { recursive: true });
    if (!(await hasMarker(root))) await writeMarker(root);
    await syncFolder(root);
  } catch (error) {
    throw translate(error, root);
  }
}

/** Anew under another name: nobody reads half a marker. */
async function writeMarker(root: string): Promise<void> {
  const path = temporaryPath(incomingIn(root));
  try {
    const file = await open(path, 'wx');
    try {
      await file.writeFile(`${JSON.stringify({ format, compression: 'zstd' })}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(path, join(root, markerName));
  } finally {
    await removeQuietly(path);
  }
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

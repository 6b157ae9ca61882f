// Files that appear under their name when they are complete.
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Sink } from '../../base/sink.ts';
import { ofSystem } from '../faults.ts';

/** Whether the path is a regular file, which is replaced; a pipe or a device is written to. */
async function isReplaced(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? true;
}

export async function intoFile<Result>(path: string, body: (out: Sink) => Promise<Result>): Promise<Result> {
  const replaces = await isReplaced(path);
  const part = replaces ? `${path}.part` : path;
  // Leftovers of a killed writer, or links of others, are replaced and never followed.
  if (replaces) await rm(part, { force: true });
  const file = await open(part, replaces ? 'wx' : 'w').catch((fault: unknown) => Promise.reject(ofSystem(fault)));
  try {
    const write = async (piece: string | Uint8Array): Promise<void> => {
      await file.writeFile(piece);
    };
    const result = await body({ isTTY: false, isFile: true, columns: 80, write });
    await file.close();
    if (replaces) await rename(part, path);
    return result;
  } catch (fault) {
    await file.close();
    if (replaces) await rm(part, { force: true });
    throw fault;
  }
}

/** Moves a complete file to its name. */
export async function give(whole: string, path: string): Promise<void> {
  if (await isReplaced(path)) await rename(whole, path);
  else await pipeline(createReadStream(whole), createWriteStream(path));
}

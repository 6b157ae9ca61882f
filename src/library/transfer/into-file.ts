// Files that get their name when all is in them.
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Sink } from '../../base/sink.ts';

/** Whether a file is replaced; what is no file, a pipe or a device, is written to and stays. */
async function isReplaced(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? true;
}

export async function intoFile<Result>(path: string, body: (out: Sink) => Promise<Result>): Promise<Result> {
  const replaces = await isReplaced(path);
  const part = replaces ? `${path}.part` : path;
  // What a killed writer left, or a link that somebody put there, is replaced and never written through.
  if (replaces) await rm(part, { force: true });
  const file = await open(part, replaces ? 'wx' : 'w');
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

/** A whole file, under its name. */
export async function give(whole: string, path: string): Promise<void> {
  if (await isReplaced(path)) await rename(whole, path);
  else await pipeline(createReadStream(whole), createWriteStream(path));
}

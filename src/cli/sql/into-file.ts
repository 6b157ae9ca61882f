// An answer in a file, which gets its name when all is in it. What is no file, a pipe or a device, is written to and never
// replaced.
import { open, rename, rm, stat } from 'node:fs/promises';
import type { Sink } from '../io.ts';

export async function intoFile<Result>(path: string, body: (out: Sink) => Promise<Result>): Promise<Result> {
  const isReplaced = (await stat(path).catch(() => null))?.isFile() ?? true;
  const part = isReplaced ? `${path}.part` : path;
  // What a killed writer left, or a link that somebody put there, is replaced and never written through.
  if (isReplaced) await rm(part, { force: true });
  const file = await open(part, isReplaced ? 'wx' : 'w');
  try {
    const write = async (piece: string | Uint8Array): Promise<void> => {
      await file.writeFile(piece);
    };
    const result = await body({ isTTY: false, isFile: true, columns: 80, write });
    await file.close();
    if (isReplaced) await rename(part, path);
    return result;
  } catch (fault) {
    await file.close();
    if (isReplaced) await rm(part, { force: true });
    throw fault;
  }
}

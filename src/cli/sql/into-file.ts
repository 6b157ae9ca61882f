// An answer in a file, which gets its name when all is in it.
import { open, rename, rm } from 'node:fs/promises';
import type { Sink } from '../io.ts';

export async function intoFile<Result>(path: string, body: (out: Sink) => Promise<Result>): Promise<Result> {
  const part = `${path}.part`;
  const file = await open(part, 'w');
  try {
    const write = async (piece: string | Uint8Array): Promise<void> => {
      await file.writeFile(piece);
    };
    const result = await body({ isTTY: false, isFile: true, columns: 80, write });
    await file.close();
    await rename(part, path);
    return result;
  } catch (fault) {
    await file.close();
    await rm(part, { force: true });
    throw fault;
  }
}

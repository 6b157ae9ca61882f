// One process at a time trains in a folder: a file in it says which. Where that process is no more, whatever ended it,
// the folder is anybody's again.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';

const lockName = 'icecore-training.lock';

export class FolderOccupied extends IcecoreError {
  override readonly name = 'FolderOccupied';

  constructor(folder: string, process: number) {
    super('conflict', `in the folder ${folder}, the process ${process} is training right now`, {
      facts: { folder, process },
      remedy: `Wait for it or stop it. If that process is no training at all, remove ${join(folder, lockName)}.`,
    });
  }
}

/** What it returns gives the folder free again. Throws FolderOccupied. */
export async function occupy(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, lockName);
  const other = await occupant(path);
  if (other !== null && isRunning(other)) throw new FolderOccupied(folder, other);
  if (other !== null) await rm(path, { force: true });
  try {
    await writeFile(path, `${process.pid}\n`, { flag: 'wx' });
  } catch (fault) {
    // Somebody else was a moment quicker.
    const quicker = (fault as NodeJS.ErrnoException).code === 'EEXIST' ? await occupant(path) : null;
    throw quicker === null ? fault : new FolderOccupied(folder, quicker);
  }
  return () => rm(path, { force: true });
}

/** The process that the file names; null where there is no file. What is no number was cut as it was written. */
async function occupant(path: string): Promise<number | null> {
  try {
    return Number.parseInt(await readFile(path, 'utf8'), 10) || 0;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw fault;
  }
}

function isRunning(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
}

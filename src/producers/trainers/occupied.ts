// One process at a time trains in a folder: a file in it says which. Where that process is no more, whatever ended it,
// the folder is anybody's again.
import { statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { readRegularFile } from '../../base/regular-file.ts';

const lockName = 'icecore-training.lock';
const mostLockBytes = 1024;
const longestWriteMs = 5_000;

export class FolderOccupied extends IcecoreError {
  override readonly name = 'FolderOccupied';

  constructor(folder: string, process: number) {
    const who = process === 0 ? 'another process' : `the process ${process}`;
    super('conflict', `in the folder ${folder}, ${who} is training right now`, {
      facts: { folder, process },
      remedy: `Wait for it or stop it. If that process is no training at all, remove ${join(folder, lockName)}.`,
    });
  }
}

/** What it returns gives the folder free again. Throws FolderOccupied, and NotRegularFile where no training made the file. */
export async function occupy(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, lockName);
  const other = occupant(path);
  if (other !== null && (isRunning(other) || isBeingWritten(path, other))) throw new FolderOccupied(folder, other);
  if (other !== null) await rm(path, { force: true });
  try {
    await writeFile(path, `${process.pid}\n`, { flag: 'wx' });
  } catch (fault) {
    // Somebody else was a moment quicker.
    const quicker = (fault as NodeJS.ErrnoException).code === 'EEXIST' ? occupant(path) : null;
    throw quicker === null ? fault : new FolderOccupied(folder, quicker);
  }
  return () => rm(path, { force: true });
}

/** The process that the file names; null where there is no file. What is no number was cut as it was written. */
function occupant(path: string): number | null {
  try {
    return Number.parseInt(readRegularFile(path, mostLockBytes).toString('utf8'), 10) || 0;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw fault;
  }
}

/** The file is created before the number is in it; one that stays without a number was left by a process that was killed in between. */
function isBeingWritten(path: string, pid: number): boolean {
  if (pid !== 0) return false;
  const written = statSync(path, { throwIfNoEntry: false });
  return written !== undefined && Date.now() - written.mtimeMs < longestWriteMs;
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

// What a file system says when something is wrong, turned into errors that say what it means for blobs.
import { IcecoreError } from '../../../schemas/errors.ts';
import { StorageFailed } from '../errors.ts';

const freeSpace = 'Free some space and run the same again: what was stored is not stored twice.';
const allow = 'Check the owner and permissions of the folder and of what is in it, or name another place.';
const remount = 'Mount its disk for writing, or name another place.';
const look = 'Check the disk, then run `icecore doctor`.';
const restore = 'Check whether its disk is mounted; restore the folder, or make a new one.';
const moveAway = 'Something else has a name that icecore uses. Move it away.';
const raiseLimit = 'Raise the limit of open files (`ulimit -n`), or do less at a time.';

const meanings: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  ENOSPC: ['the disk is full; this blob was not stored', freeSpace],
  EDQUOT: ['the quota of the disk is used up; this blob was not stored', freeSpace],
  EROFS: ['the file system is mounted only to be read', remount],
  EACCES: ['permission denied', allow],
  EPERM: ['the system does not permit it', allow],
  ENOENT: ['it was there and is gone', restore],
  ENOTDIR: ['a file stands where a folder must be', moveAway],
  EISDIR: ['a folder stands where a file must be', moveAway],
  ENOTEMPTY: ['a folder stands where a file must be', moveAway],
  EMFILE: ['too many files are open', raiseLimit],
  ENFILE: ['too many files are open', raiseLimit],
};

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** The error to throw in place of what the file system said; anything else comes back as it is. */
export function translate(error: unknown, path: string): unknown {
  if (error instanceof IcecoreError || !(error instanceof Error) || !('syscall' in error)) return error;
  const [what, remedy] = meanings[codeOf(error)] ?? [`reading or writing failed (${error.message})`, look];
  return new StorageFailed(path, what, remedy, error);
}

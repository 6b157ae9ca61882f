// Making folders, one after the other from the nearest that is there. Node's own way to make many at once never returns
// where a file system takes no new folders and says that one is missing, as /proc does.
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StorageFailed } from './errors.ts';

/** Makes the folder and those above it where they are missing. Throws StorageFailed. */
export function makeFolder(folder: string): void {
  const path = resolve(folder);
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (isFolder(path)) return;
    const why = error instanceof Error ? error.message : String(error);
    throw new StorageFailed(path, `the folder cannot be made (${why})`, remedy, error);
  }
}

const remedy =
  'Choose another place: --to names one for an export, --ledger one for a ledger, ICECORE_HOME one for a home.';

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

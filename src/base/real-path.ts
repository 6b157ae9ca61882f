// The real path of a file or folder with all symbolic links resolved, even if it does not exist yet.
import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isLink } from './regular-file.ts';

/** For a missing path: where a file would be created. Follows a symbolic link even if its target is missing. */
export function realPathOf(path: string, links = 40): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    if (parent === path || links === 0) return path;
    const place = join(realPathOf(parent, links), basename(path));
    return isLink(place) ? realPathOf(resolve(dirname(place), readlinkSync(place)), links - 1) : place;
  }
}

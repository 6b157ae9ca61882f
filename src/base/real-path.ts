// The real path of a file or folder, with all symbolic links resolved, also of what does not exist yet.
import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isLink } from './regular-file.ts';

/** Of a path that does not exist: where a file would be created. A symbolic link whose target is missing is followed as well. */
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

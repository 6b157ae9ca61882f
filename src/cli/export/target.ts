// The folder that an export goes into, as it was typed.
import { lstatSync, realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { isFolder } from '../../ledger/folders.ts';
import type { Context } from '../context.ts';

/** Absolute, and where links lead: it is the folder that is replaced, and not a link to it. */
export function targetFolder({ io: { cwd } }: Context, to: string): string {
  const path = resolve(cwd, to);
  if (!isFolder(path)) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw refused(to, `is a link to no folder`, 'Name a folder, or the place where one is to be made.');
    return path;
  }
  const folder = realpathSync(path);
  if (!`${realpathSync(cwd)}${sep}`.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)) return folder;
  throw refused(to, 'is a folder that you are in, and would be replaced', 'Name another, or go elsewhere first.');
}

function refused(to: string, what: string, remedy: string): IcecoreError {
  return new IcecoreError('usage', `--output: ${to === '' ? '.' : to} ${what}`, {
    facts: { field: '--output', found: to },
    remedy,
  });
}

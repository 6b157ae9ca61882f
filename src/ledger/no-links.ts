// Folders that icecore makes for itself contain no links. In one that somebody handed over, a link would have icecore write
// and remove files wherever it leads.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { IcecoreError } from '../../schemas/errors.ts';
import { isLink } from '../base/regular-file.ts';
import { isFolder } from './folder.ts';

export class LinkFound extends IcecoreError {
  override readonly name = 'LinkFound';

  constructor(path: string) {
    super('untrusted', `${path} is a symbolic link: icecore writes nothing where it leads`, {
      facts: { path },
      remedy: 'Put a folder in its place, or mount the other disk there.',
    });
  }
}

/** Throws LinkFound where the path itself is a link. Nothing need be there. */
export function requireNoLink(path: string): void {
  if (isLink(path)) throw new LinkFound(path);
}

/** The same of everything in the folder. */
export function requireNoLinksIn(folder: string): void {
  requireNoLink(folder);
  if (!isFolder(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) throw new LinkFound(path);
    if (entry.isDirectory()) requireNoLinksIn(path);
  }
}

// From a path to the blobs in it.
import { resolve } from 'node:path';
import { requireNoLink } from '../folders.ts';
import { sweep } from '../temporary.ts';
import type { OpenBlobsOptions } from './blobs.ts';
import { FolderShelf } from './folder.ts';
import { hasMarker, incomingIn, makeLayout, requireFormat } from './folder-layout.ts';

export async function openFolder(url: string, path: string, options: OpenBlobsOptions): Promise<FolderShelf> {
  const root = resolve(path);
  if (!options.readOnly) requireNoLink(incomingIn(root));
  if (options.create && !options.readOnly && !(await hasMarker(root))) await makeLayout(root);
  await requireFormat(url, root);
  if (!options.readOnly) await sweep(incomingIn(root));
  return new FolderShelf(url, root);
}

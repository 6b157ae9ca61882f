// Where the workspace is. Nothing of it is opened, and nothing else is loaded: the first screen says it.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isFolder } from '../ledger/folders.ts';
import type { Io } from './io.ts';
import { visible } from './output/visible.ts';
import { upward } from './upward.ts';

type Surroundings = Pick<Io, 'env' | 'cwd'>;

export const homeName = '.icecore';

export interface Home {
  readonly path: string;
  readonly exists: boolean;
  readonly from: 'ICECORE_HOME' | 'found' | 'default';
}

export function homeAbove({ env, cwd }: Surroundings): Home {
  const named = env['ICECORE_HOME'];
  if (named) {
    const path = resolve(cwd, named);
    return { path, exists: existsSync(path), from: 'ICECORE_HOME' };
  }
  for (const folder of upward(cwd)) {
    const path = join(folder, homeName);
    if (isFolder(path)) return { path, exists: true, from: 'found' };
  }
  return { path: join(cwd, homeName), exists: false, from: 'default' };
}

/** For the first screen. */
export function workspaceLine(io: Surroundings): string {
  const { path, exists } = homeAbove(io);
  return exists ? visible(path) : `none; icecore run creates ${visible(path)}`;
}

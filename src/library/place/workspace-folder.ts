// The location of the workspace. Loads nothing else, because the first screen needs it.
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { escapeControls } from '../../base/escape.ts';
import type { Surroundings } from '../session.ts';

export const workspaceName = '.icecore';

export interface WorkspaceFolder {
  readonly path: string;
  readonly exists: boolean;
  readonly from: 'ICECORE_WORKSPACE' | 'found' | 'default';
}

export function workspaceAbove({ env, cwd }: Surroundings): WorkspaceFolder {
  const named = env['ICECORE_WORKSPACE'];
  if (named) {
    const path = resolve(cwd, named);
    return { path, exists: existsSync(path), from: 'ICECORE_WORKSPACE' };
  }
  for (const folder of upward(cwd)) {
    const path = join(folder, workspaceName);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return { path, exists: true, from: 'found' };
  }
  return { path: join(cwd, workspaceName), exists: false, from: 'default' };
}

/** The folders from this one to the root of its file system, as git searches for a repository. */
export function* upward(from: string): Generator<string> {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    yield folder;
    if (dirname(folder) === folder) return;
  }
}

/** For the first screen. */
export function workspaceLine(io: Surroundings): string {
  const { path, exists } = workspaceAbove(io);
  return exists ? escapeControls(path) : `none; icecore run creates ${escapeControls(path)}`;
}

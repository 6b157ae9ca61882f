// Files that are not blobs yet. They lie in a folder of their own, where nobody looks for blobs. Their names say who writes
// them, so that what a killed writer left, which may be a text that is to be erased, can be told from what is being written.
import { hash, randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isLink } from '../../base/regular-file.ts';

const prefix = 'icecore-';
const suffix = '.part';
const ownName = /^icecore-[0-9a-f]+-[0-9a-f-]+\.part$/;
const staleMs = 24 * 60 * 60 * 1000;

/** A name that no other process has. */
export function temporaryPath(folder: string): string {
  return join(folder, `${prefix}${here}-${process.pid}-${randomBytes(9).toString('hex')}${suffix}`);
}

/** Where process numbers mean the same: this machine, and on Linux this namespace of it. */
const here = hash('sha256', `${hostname()} ${processNamespace()}`).slice(0, 12);

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** What cannot be removed now is swept away another day. */
export async function removeQuietly(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => {});
}

/**
 * Removes what writers left that were killed: here, those that are no more; elsewhere, whatever is older than a day. A link
 * is not followed: whoever made the folder may have pointed it at somebody's own files.
 */
export async function sweep(folder: string, now = Date.now()): Promise<void> {
  if (isLink(folder)) return;
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names) {
    if (!ownName.test(name)) continue;
    const path = join(folder, name);
    if (isLeftHere(name) || (await isOld(path, now))) await removeQuietly(path);
  }
}

function isLeftHere(name: string): boolean {
  const [, place, pid] = /^icecore-([0-9a-f]{12})-([0-9]+)-/.exec(name) ?? [];
  return place === here && !isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code !== 'ESRCH';
  }
}

async function isOld(path: string, now: number): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found !== null && now - found.mtimeMs > staleMs;
}

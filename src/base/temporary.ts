// Unfinished files and folders, made next to the place that they take as a whole. Their names say who writes them, so that
// what a killed writer left, which may be a text that is to be erased, is removed and what is being written stays.
import { hash, randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { makeFolder, StorageFailed } from './folders.ts';
import { isLink } from './regular-file.ts';

const ownName = /^icecore-[0-9a-f]+-[0-9a-f-]+\.part$/;
const staleMs = 24 * 60 * 60 * 1000;

/** A name that no other process has. */
export function temporaryPath(folder: string): string {
  return join(folder, `icecore-${here}-${process.pid}-${randomBytes(9).toString('hex')}.part`);
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
 * Removes what killed writers left: of this machine, when they no longer run; of others, when it is older than a day. A
 * link is not followed: whoever made the folder may have pointed it at somebody's own files.
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

const workingName = '.icecore-unfinished';

/** Hands over an empty folder within `near`, and removes what is in it when `body` is done. */
export async function withWorkingFolder<Result>(
  near: string,
  body: (folder: string) => Promise<Result>,
): Promise<Result> {
  const unfinished = join(near, workingName);
  const folder = temporaryPath(unfinished);
  if (isLink(unfinished)) {
    const remedy = 'Nothing was written. icecore keeps unfinished work there for a while: remove the link.';
    throw new StorageFailed(unfinished, 'it is a link to another place', remedy);
  }
  makeFolder(unfinished);
  await sweep(unfinished);
  await mkdir(folder, { mode: 0o700 });
  try {
    return await body(folder);
  } finally {
    await removeQuietly(folder);
    await removeIfEmpty(unfinished);
  }
}

/** Sweeps the working folders above: before the folders of `near` were made, the nearest was further up. */
export async function sweepAbove(near: string): Promise<void> {
  for (let below = resolve(near), above = dirname(below); above !== below; below = above, above = dirname(above)) {
    await sweep(join(above, workingName));
    await removeIfEmpty(join(above, workingName));
  }
}

/** It stays while somebody else writes into it. */
async function removeIfEmpty(unfinished: string): Promise<void> {
  await rmdir(unfinished).catch(() => undefined);
}

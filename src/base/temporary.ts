// Unfinished files and folders, created next to their final place. Their names identify the writer, so that remains of killed
// writers, which may contain redacted text, are removed while files being written stay.
import { hash, randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { makeFolder, StorageFailed } from './folders.ts';
import { isLink } from './regular-file.ts';

const ownName = /^icecore-[0-9a-f]+-[0-9a-f-]+\.part$/;
const staleMs = 24 * 60 * 60 * 1000;

/** A name unique to this process. */
export function temporaryPath(folder: string): string {
  return join(folder, `icecore-${here}-${process.pid}-${randomBytes(9).toString('hex')}.part`);
}

/** Identifies where process ids are valid: this machine, and on Linux this process namespace. */
const here = hash('sha256', `${hostname()} ${processNamespace()}`).slice(0, 12);

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** A file that cannot be removed now is removed by a later sweep. */
export async function removeQuietly(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => {});
}

/**
 * Removes remains of killed writers: on this machine, when the process no longer runs; from other machines, when they are
 * older than a day. Links are not followed, since they may point to files of another user.
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

/** Creates an empty folder within `near` for `body`, and removes it afterwards. */
export async function withWorkingFolder<Result>(
  near: string,
  body: (folder: string) => Promise<Result>,
): Promise<Result> {
  const unfinished = join(near, workingName);
  const folder = temporaryPath(unfinished);
  if (isLink(unfinished)) {
    const remedy = 'Nothing was written. Remove the link: icecore keeps unfinished work in a folder of that name.';
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

/** Sweeps the working folders of all parents, since unfinished work is further up if `near` did not exist yet. */
export async function sweepAbove(near: string): Promise<void> {
  for (let below = resolve(near), above = dirname(below); above !== below; below = above, above = dirname(above)) {
    await sweep(join(above, workingName));
    await removeIfEmpty(join(above, workingName));
  }
}

/** The folder stays while another process writes into it. */
async function removeIfEmpty(unfinished: string): Promise<void> {
  await rmdir(unfinished).catch(() => undefined);
}

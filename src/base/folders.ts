// Folders and files on this machine that icecore makes or reads for itself.
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { IcecoreError } from '../../schemas/errors.ts';
import { isLink, readRegularFile } from './regular-file.ts';

/** What icecore reads or writes on this machine cannot be read or written. */
export class StorageFailed extends IcecoreError {
  override readonly name = 'StorageFailed';

  constructor(path: string, what: string, remedy: string, cause?: unknown) {
    super('storage', `${path}: ${what}`, { facts: { path, what }, remedy, cause });
  }
}

/** The user's cache of icecore. A relative `XDG_CACHE_HOME` is ignored, as the XDG specification demands. */
export function cacheFolder(): string {
  const { env } = process;
  const named = env['XDG_CACHE_HOME'] ?? '';
  return env['ICECORE_CACHE'] || join(isAbsolute(named) ? named : join(homedir(), '.cache'), 'icecore');
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Makes the folder and those above it where they are missing, one by one: Node's own way never returns where a file system
 * takes no new folders and says that one is missing, as /proc does. Throws StorageFailed.
 */
export function makeFolder(folder: string): void {
  const path = resolve(folder);
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (isFolder(path)) return;
    const remedy =
      'Choose another place: --output names one for an export, --ledger one for a ledger, ICECORE_WORKSPACE one for a home.';
    throw new StorageFailed(path, `the folder cannot be made (${messageOf(error)})`, remedy, error);
  }
}

/** In a folder that somebody handed over, a link would have icecore read, write or remove files wherever it leads. */
class LinkFound extends IcecoreError {
  override readonly name = 'LinkFound';

  constructor(path: string) {
    super('untrusted', `${path} is a symbolic link: icecore reads and writes nothing where it leads`, {
      facts: { path },
      remedy: 'Put what it leads to in its place, or mount the other disk there.',
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

const maxCertificateBytes = 1 << 20;

/**
 * The certificates that `?ca=FILE` of a ledger's URL names. The URL may be that of a found settings file, so a FIFO, a
 * device or a file without end must not stop or fill the process. Throws StorageFailed.
 */
export function readCertificates(path: string): Buffer {
  try {
    return readRegularFile(path, maxCertificateBytes);
  } catch (error) {
    const what = `the certificates cannot be read (${messageOf(error)})`;
    throw new StorageFailed(path, what, 'See ?ca= in the URL of the ledger.', error);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

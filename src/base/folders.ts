// Folders and files on this machine that icecore creates or reads for itself.
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { IcecoreError } from '../../schemas/errors.ts';
import { isLink, readRegularFile } from './regular-file.ts';

/** A file or folder on this machine cannot be read or written. */
export class StorageFailed extends IcecoreError {
  override readonly name = 'StorageFailed';

  constructor(path: string, what: string, remedy: string, cause?: unknown) {
    super('storage', `${path}: ${what}`, { facts: { path, what }, remedy, cause });
  }
}

/** The user's cache folder for icecore. A relative `XDG_CACHE_HOME` is ignored, as the XDG specification requires. */
export function cacheFolder(): string {
  const { env } = process;
  const named = env['XDG_CACHE_HOME'] ?? '';
  return env['ICECORE_CACHE'] || join(isAbsolute(named) ? named : join(homedir(), '.cache'), 'icecore');
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Creates the folder and its missing parents one by one, because Node's recursive mkdir never returns on file systems such as
 * /proc, which report a missing parent but allow no new folders. Returns the first folder that it created, or null. Throws StorageFailed.
 */
export function makeFolder(folder: string, mode = 0o777): string | null {
  const path = resolve(folder);
  if (isFolder(path)) return null;
  const first = dirname(path) === path ? null : makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, mode);
    return first ?? path;
  } catch (error) {
    // Another process may have created it meanwhile.
    if (isFolder(path)) return first;
    const remedy =
      'Choose another place: --output for what a command writes, --ledger for a ledger, ICECORE_WORKSPACE for a workspace, XDG_CONFIG_HOME for your settings.';
    throw new StorageFailed(path, `the folder cannot be created (${messageOf(error)})`, remedy, error);
  }
}

/** In an untrusted folder, a link could make icecore read, write or remove files anywhere. */
class LinkFound extends IcecoreError {
  override readonly name = 'LinkFound';

  constructor(path: string) {
    super('untrusted', `${path} is a symbolic link, which icecore does not follow`, {
      facts: { path },
      remedy: 'Replace the link with its target, or mount the other disk there.',
    });
  }
}

/** Throws LinkFound if the path itself is a link. The path need not exist. */
export function requireNoLink(path: string): void {
  if (isLink(path)) throw new LinkFound(path);
}

/** The same for everything in the folder. */
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
 * Reads the certificates of `?ca=FILE` in a ledger's URL. The URL may come from a found settings file, so a FIFO, a device or
 * an endless file must not block or fill the process. Throws StorageFailed.
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

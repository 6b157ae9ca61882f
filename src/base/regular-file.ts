// Reads a small file that a found path names. Reading a FIFO could block and reading a device could never end, so only regular
// files of limited size are read. The check follows the opening, when the file can no longer be replaced.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { IcecoreError } from '../../schemas/errors.ts';

/** The path names something other than a regular file, such as a folder or a FIFO, or a file that is too large. */
export class NotRegularFile extends IcecoreError {
  override readonly name = 'NotRegularFile';

  constructor(path: string, found: string, allowed: string) {
    super('bad-input', `${path}: found ${found}, allowed: ${allowed}`, {
      facts: { path, found, allowed },
      remedy: 'Name another file.',
    });
  }
}

/** Throws NotRegularFile, and the error of the file system if there is no such file. Follows symbolic links. */
export function readRegularFile(path: string, maxBytes: number): Buffer {
  const allowed = `a regular file of at most ${maxBytes} bytes`;
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new NotRegularFile(path, kindOf(found), allowed);
    if (found.size > maxBytes) throw new NotRegularFile(path, `a file of ${found.size} bytes`, allowed);
    // One byte more than allowed, since files such as those in /proc contain more than their size.
    const bytes = Buffer.alloc(maxBytes < found.size * 2 + 4096 ? maxBytes + 1 : found.size * 2 + 4096);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null);
    if (length > maxBytes || length === bytes.length)
      throw new NotRegularFile(path, 'a file that is larger than its stated size', allowed);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

export function kindOf(found: Stats): string {
  if (found.isSymbolicLink()) return 'a symbolic link';
  if (found.isDirectory()) return 'a folder';
  if (found.isFIFO()) return 'a FIFO';
  if (found.isSocket()) return 'a socket';
  return found.isCharacterDevice() || found.isBlockDevice() ? 'a device' : 'something that is not a file';
}

/** Whether the path itself is a symbolic link. Other errors are left to the code that opens the path. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Identifies the file or folder at a path by its folder entry, without opening it; null if there is none. */
export function fileIdentity(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/** Differs from that of an earlier file or folder at this path, whose inode this one may have got; null if there is none. */
export function fileInstance(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}:${found.birthtimeNs}`;
}

// Checks the files of a ledger and their location before SQLite opens any of them. SQLite's locks and shared memory do not work on
// network file systems; a FIFO could block and a device could be endless; a log that is a link would make SQLite write into its
// target.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { StorageFailed } from '../../base/folders.ts';
import { realPathOf } from '../../base/real-path.ts';
import { kindOf } from '../../base/regular-file.ts';
import { foreignJournal, NotALedger } from '../errors.ts';

const networkTypes =
  /^(?:nfs4?|cifs|smb3?|smbfs|ncpfs|afs|9p|ceph|lustre|gpfs|beegfs|ocfs2|gfs2|glusterfs|fuse\.(?:sshfs|glusterfs|s3fs|rclone|gcsfuse|goofys|ceph|juicefs|blobfuse2?|davfs2?))$/;

function networkFileSystem(path: string, type: string, mountPoint: string): IcecoreError {
  return new IcecoreError(
    'storage',
    `${path} is on a network file system (${type} at ${mountPoint}), where SQLite's locks do not work`,
    {
      name: 'NetworkFileSystem',
      facts: { path, type, mountPoint },
      remedy: 'Put the ledger on a local disk: set ICECORE_WORKSPACE, or name it with --ledger sqlite:PATH.',
    },
  );
}

/** Throws NetworkFileSystem if the path is on one. Only Linux provides this information; elsewhere nothing is refused. */
export function refuseNetworkPlace(path: string, mountinfo = readMountinfo()): void {
  const mount = mountinfo === null ? null : mountOf(realPathOf(resolve(path)), mountinfo);
  if (mount !== null && networkTypes.test(mount.type)) throw networkFileSystem(path, mount.type, mount.point);
}

function readMountinfo(): string | null {
  const file = '/proc/self/mountinfo';
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

export interface Mount {
  readonly point: string;
  readonly type: string;
}

/** The mount of a path, from the lines of Linux's mountinfo: the longest matching mount point, and the last of equals. */
export function mountOf(path: string, mountinfo: string): Mount | null {
  let best: Mount | null = null;
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const point = unescapeOctal(before.split(' ')[4] ?? '');
    const type = after.split(' ')[0] ?? '';
    const holds = point === '/' || path === point || path.startsWith(`${point}/`);
    if (point === '' || type === '' || !holds) continue;
    if (best === null || point.length >= best.point.length) best = { point, type };
  }
  return best;
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

const suffixes = ['-wal', '-shm', '-journal'];

/** Opens no file except a foreign journal. Throws NotALedger, ForeignJournal, StorageFailed. */
export function requireOwnFiles(path: string): void {
  const main = statOf(path, statSync);
  if (main === null) return;
  if (!main.isFile()) throw new NotALedger(path, `found ${kindOf(main)}, allowed: a regular file`);
  const real = realpathSync(path);
  for (const suffix of suffixes) {
    const beside = `${real}${suffix}`;
    const found = statOf(beside, lstatSync);
    if (found === null) continue;
    if (!found.isFile()) throw new NotALedger(path, `${beside} is ${kindOf(found)}, allowed: a regular file`);
    if (suffix === '-journal') requireNothingToPlayBack(path, beside, main.size);
  }
}

/** The end of a rollback journal that names a super-journal. */
const superJournalMagic = Buffer.from('d9d505f920a163d7', 'hex');

/**
 * SQLite plays a journal back before it writes, so readers would see another ledger than writers; and a journal may name another
 * file, which SQLite then deletes. By SQLite's rules a journal that is empty or begins with a zero is void, and one next to an
 * empty database is only deleted. icecore's own changes go through the write-ahead log.
 */
function requireNothingToPlayBack(path: string, journal: string, databaseBytes: number): void {
  const file = openJournal(journal);
  try {
    const [first, end] = [Buffer.alloc(1), Buffer.alloc(superJournalMagic.length)];
    const { size } = fstatSync(file);
    readSync(file, end, 0, end.length, Math.max(0, size - end.length));
    if (end.equals(superJournalMagic)) throw new NotALedger(path, 'it is a journal that names another file');
    readSync(file, first, 0, 1, 0);
    if (first[0] !== 0 && databaseBytes > 0) throw foreignJournal(path, journal);
  } finally {
    closeSync(file);
  }
}

function openJournal(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    throw new StorageFailed(path, 'it cannot be read', 'Check its permissions, or move it away.', error);
  }
}

/** A link without a target cannot be opened as a file. */
export function isThere(path: string): boolean {
  return statOf(path, statSync) !== null;
}

/** The log is next to the file itself, even if the path is a link. */
export function logOf(path: string): string {
  return `${existsSync(path) ? realpathSync(path) : path}-wal`;
}

function statOf(path: string, look: (path: string) => Stats): Stats | null {
  try {
    return look(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as { code?: unknown }).code))) return null;
    throw new StorageFailed(path, 'it cannot be accessed', 'Check the permissions of its folders.', error);
  }
}

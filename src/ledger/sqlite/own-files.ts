// The files of a ledger, looked at before SQLite opens any: the database and what lies beside it. A FIFO would never answer
// and a device never end; a log that is a link would have SQLite write into whatever the link names.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { kindOf } from '../../base/regular-file.ts';
import { ForeignJournal, NotALedger, StorageFailed } from '../errors.ts';

const beside = ['-wal', '-shm', '-journal'];

/** Opens no file but a journal that somebody put there. Throws NotALedger, ForeignJournal, StorageFailed. */
export function requireOwnFiles(path: string): void {
  const main = statOf(path, statSync);
  if (main === null) return;
  if (!main.isFile()) throw new NotALedger(path, `found ${kindOf(main)}, allowed: a regular file`);
  const real = realpathSync(path);
  for (const suffix of beside) {
    const found = statOf(real + suffix, lstatSync);
    if (found?.isFile() === true && suffix === '-journal')
      requireNothingToPlayBack(path, `${real}${suffix}`, main.size);
    if (found === null || found.isFile()) continue;
    const what = `${real}${suffix} is ${kindOf(found)}, where a ledger has a regular file`;
    throw new NotALedger(path, what);
  }
}

/** Ends a rollback journal that names a super-journal. */
const superJournalMagic = Buffer.from('d9d505f920a163d7', 'hex');

/**
 * SQLite plays a journal back before anything is written, so that whoever only reads would see another ledger than whoever
 * writes; and it may name a further file, which is removed then. By SQLite's own rule one that is empty or begins with a
 * zero is none, and beside an empty database it is nothing but removed. A ledger's changes go through its log.
 */
function requireNothingToPlayBack(path: string, journal: string, databaseBytes: number): void {
  const file = openJournal(journal);
  try {
    const [first, end] = [Buffer.alloc(1), Buffer.alloc(superJournalMagic.length)];
    const { size } = fstatSync(file);
    readSync(file, end, 0, end.length, Math.max(0, size - end.length));
    if (end.equals(superJournalMagic)) throw new NotALedger(path, 'it is a journal that names another file');
    readSync(file, first, 0, 1, 0);
    if (first[0] !== 0 && databaseBytes > 0) throw new ForeignJournal(path, journal);
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

/** A link that leads nowhere is nothing that can be opened. */
export function isThere(path: string): boolean {
  return statOf(path, statSync) !== null;
}

/** The log lies beside the file itself, wherever a link to it may be. */
export function logOf(path: string): string {
  return `${existsSync(path) ? realpathSync(path) : path}-wal`;
}

function statOf(path: string, look: (path: string) => Stats): Stats | null {
  try {
    return look(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as { code?: unknown }).code))) return null;
    throw new StorageFailed(path, 'it cannot be looked at', 'Check the permissions of its folders.', error);
  }
}

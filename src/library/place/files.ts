// Files that a command must not overwrite: the current ledger, and its own input.
import { type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';

/** Throws if the file that `option` names is the input or the current ledger. */
export function refuseToOverwrite(
  cwd: string,
  file: string,
  source: string,
  ledgerFiles: readonly string[],
  option = '--rejects',
): string {
  const path = resolve(cwd, file);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return path;
  refuseLedger(stats, path, ledgerFiles);
  const input = source === '-' ? undefined : statSync(resolve(cwd, source), { throwIfNoEntry: false });
  if (input !== undefined && isSameFile(stats, input)) {
    throw new IcecoreError('usage', `${option} names the input itself, ${file}`, {
      facts: { path },
      remedy: 'Name another file: this one would be overwritten.',
    });
  }
  return path;
}

/**
 * Opening and closing the database file outside of SQLite would drop the locks that this process holds on it, and two
 * processes would both act as the writer.
 */
export function refuseLedger(stats: Stats, name: string, ledgerFiles: readonly string[]): void {
  for (const path of ledgerFiles) {
    for (const suffix of ['', '-wal', '-shm']) {
      const own = statSync(path + suffix, { throwIfNoEntry: false });
      if (own === undefined || !isSameFile(stats, own)) continue;
      throw new IcecoreError('usage', `${name} is the ledger itself`, {
        facts: { path },
        remedy: 'To read a ledger, use icecore event tail --json.',
      });
    }
  }
}

function isSameFile(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

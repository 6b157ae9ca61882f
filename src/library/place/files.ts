// Files that a command must not write over: the ledger in use, and its own input.
import { type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';

/** The file that `option` names may be written without touching the input or the ledger, if there is one in use. */
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
 * To open and close the database file beside SQLite would drop the locks this process holds on it, and two processes
 * would both believe they wrote.
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

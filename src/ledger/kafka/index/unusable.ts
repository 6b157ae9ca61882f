// What SQLite says of a file that is damaged, or has no room left, in words that say what to do: an index may always be deleted.
import type { DatabaseSync } from 'node:sqlite';
import { StorageFailed } from '../../errors.ts';
import { isBusy } from '../../sqlite/access.ts';

const remedy =
  'It holds nothing that is not in Kafka: delete its folder and it is made anew, or name another place for it with ICECORE_CACHE.';

export function unusable(path: string, what: string, cause?: unknown): StorageFailed {
  return new StorageFailed(path, what, remedy, cause);
}

/** A lock that somebody else holds stays what it is, and so does what is no fault of SQLite's. */
export function inWords<Result>(db: DatabaseSync, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw meaningOf(db, error);
  }
}

export function meaningOf(db: DatabaseSync, error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || isBusy(error)) return error;
  return unusable(db.location() ?? 'memory', `the index of the ledger cannot be used (${error.message})`, error);
}

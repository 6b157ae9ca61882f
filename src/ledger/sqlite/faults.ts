// What SQLite says when something is wrong, turned into errors that say what it means here.
import { IcecoreError } from '../../../schemas/errors.ts';
import { DamagedLedger, NotALedger, StorageFailed } from '../errors.ts';
import { DamagedPosition } from './impossible.ts';

/** SQLite's primary result codes; an extended code holds one in its lowest byte. */
const code = {
  error: 1,
  busy: 5,
  locked: 6,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  tooBig: 18,
  notADatabase: 26,
};

function resultCode(error: unknown): number {
  const found = (error as { errcode?: unknown } | null)?.errcode;
  return typeof found === 'number' ? found : 0;
}

/** Somebody else holds a lock for now: worth trying again. */
export function isBusy(error: unknown): boolean {
  const found = resultCode(error);
  const primary = found & 0xff;
  return primary === code.busy || primary === code.locked;
}

/** The medium has no room for locks: SQLite could not make or open the files beside the database. */
export function cannotLock(error: unknown): boolean {
  const primary = resultCode(error) & 0xff;
  return primary === code.cantOpen || primary === code.readonly;
}

/** The error to throw in place of what SQLite threw; anything else comes back as it is. */
export function translate(error: unknown, path: string): unknown {
  if (error instanceof IcecoreError) return error;
  const said = error instanceof Error ? error.message : String(error);
  if (isImpossible(error)) return new DamagedLedger(path, said, error);
  switch (resultCode(error) & 0xff) {
    case code.full:
      return new StorageFailed(path, 'the disk is full; nothing of this append was stored', freeSpace, error);
    case code.readonly:
      return new StorageFailed(path, 'the file or its folder cannot be written', makeWritable, error);
    case code.cantOpen:
      return new StorageFailed(path, 'the file cannot be opened', makeWritable, error);
    case code.ioerr:
      return new StorageFailed(path, `reading or writing failed (${said})`, checkDisk, error);
    case code.corrupt:
      return new DamagedLedger(path, said, error);
    case code.tooBig:
      return new DamagedLedger(path, 'a value in it is larger than any that icecore writes', error);
    case code.notADatabase:
      return new NotALedger(path, 'the file is not a SQLite database');
    default:
      return error;
  }
}

/** A number wider than any a ledger writes, or a table that is not there. */
function isImpossible(error: unknown): boolean {
  if (error instanceof DamagedPosition) return true;
  if ((error as { code?: unknown } | null)?.code === 'ERR_OUT_OF_RANGE') return true;
  return resultCode(error) === code.error && /^no such (?:table|column)/.test((error as Error).message);
}

const freeSpace = 'Free some space and run the same again: what was stored is not stored twice.';
const makeWritable =
  'Check the owner and permissions of the file and its folder, or choose another place with --ledger.';
const checkDisk = 'Check the disk, then run `icecore doctor`.';

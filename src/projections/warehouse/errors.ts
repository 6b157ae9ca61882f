// What DuckDB says when a file cannot be opened or used, told apart by its words: it has no codes.
import { IcecoreError } from '../../../schemas/errors.ts';

/** A file of tables that cannot be used: torn, of something else, or of another version. Another is made instead of it. */
export class BrokenTables extends IcecoreError {
  override readonly name = 'BrokenTables';

  constructor(path: string, why: string, cause?: unknown) {
    super('damaged', `the tables in ${path} cannot be used: ${why}`, {
      facts: { path, why },
      remedy: 'icecore tables refresh --rebuild makes them anew from the ledger.',
      cause,
    });
  }
}

/** While they were let go of, an icecore of another version has filled them in its own way. */
export class TablesOfOthers extends BrokenTables {
  static readonly why = 'an icecore of another version has filled them meanwhile';

  constructor(path: string) {
    super(path, TablesOfOthers.why);
  }
}

/** Somebody else has kept the tables for longer than anybody should. */
export class TablesBusy extends IcecoreError {
  override readonly name = 'TablesBusy';

  constructor(path: string, seconds: number) {
    super('unavailable', `another process has kept the tables in ${path} for ${seconds} s`, {
      facts: { path, seconds },
      remedy: 'See what it does, or try again later.',
    });
  }
}

export class TablesUnwritable extends IcecoreError {
  override readonly name = 'TablesUnwritable';

  constructor(path: string, cause: unknown) {
    super('storage', `the tables cannot be written to ${path}: ${reason(cause)}`, {
      facts: { path },
      remedy: 'Make room or get the right to write there, or name another folder with ICECORE_TABLES=FOLDER.',
      cause,
    });
  }
}

class TablesUnreachable extends IcecoreError {
  override readonly name = 'TablesUnreachable';

  constructor(path: string, cause: unknown) {
    super('storage', `the tables in ${path} cannot be reached: ${reason(cause)}`, {
      facts: { path },
      remedy: /Too many open files/i.test(textOf(cause))
        ? 'Close what is not needed, or raise the limit of open files (ulimit -n), and try again.'
        : 'The tables are left as they are. Try again; where it comes back, see to the disk, or name another folder with ICECORE_TABLES=FOLDER.',
      cause,
    });
  }
}

/** Whether another process has the file open in a way that keeps this one out. */
export function isLocked(error: unknown): boolean {
  return /Could not set lock|Conflicting lock|used by another process/i.test(textOf(error));
}

/** What the system says where icecore may not or cannot write. */
const unwritable =
  /Permission denied|Operation not permitted|Read-only file system|No space left|Disk quota|File too large/i;

/** Whether the system refused to read or write a file, whatever is in it. */
function isOfTheSystem(error: unknown): boolean {
  const text = textOf(error);
  if (unwritable.test(text)) return true;
  // A file that is gone is not read another time; one that ends too early is a file's own fault.
  return !/No such file/i.test(text) && systemFault.test(text);
}

/** `Could not read from file "x": Input/output error`. */
const systemFault =
  /\b(?:Cannot open|Could not (?:read from|write(?: to)?|fsync|truncate|remove|rename|seek to location \d+ for|get file position)|Failed to get (?:stats|file size) for) file ".*": \S|\bE(?:IO|MFILE|NFILE|STALE|TIMEDOUT): /i;

/** What the system refused, as an error of its own; null where it is not at fault, or another process has the file. */
export function storageFault(path: string, error: unknown): IcecoreError | null {
  if (error instanceof IcecoreError || isLocked(error) || !isOfTheSystem(error)) return null;
  return unwritable.test(textOf(error)) ? new TablesUnwritable(path, error) : new TablesUnreachable(path, error);
}

/** Whether the file, and not what was asked of it, is at fault: icecore asks for nothing that is not in its own tables. */
export function isBroken(error: unknown): boolean {
  if (error instanceof BrokenTables) return true;
  if (error instanceof IcecoreError || isOfTheSystem(error)) return false;
  return /^(?:IO|Serialization|INTERNAL|FATAL|Corruption|Catalog|Binder) Error|not a valid DuckDB|database has been invalidated|WAL file/i.test(
    textOf(error),
  );
}

export function firstLine(error: unknown): string {
  return textOf(error).split('\n', 1)[0] ?? '';
}

/** Of a program that failed, what its system said. */
function reason(error: unknown): string {
  return /\bE[A-Z]{3,}: .+/.exec(textOf(error))?.[0] ?? firstLine(error);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

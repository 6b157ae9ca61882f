// Errors of files of tables. DuckDB's errors have no codes, so they are recognised by their messages.
import { IcecoreError } from '../../../schemas/errors.ts';

/** An unusable file of tables: damaged, of something else, or of another version. Another one replaces it. */
export class BrokenTables extends IcecoreError {
  override readonly name = 'BrokenTables';

  constructor(path: string, why: string, cause?: unknown) {
    super('damaged', `the tables in ${path} cannot be used: ${why}`, {
      facts: { path, why },
      remedy: 'icecore tables refresh --rebuild rebuilds them from the ledger.',
      cause,
    });
  }
}

/** While they were released, another version of icecore has refilled them. */
export class TablesOfOthers extends BrokenTables {
  static readonly why = 'another version of icecore has refilled them meanwhile';

  constructor(path: string) {
    super(path, TablesOfOthers.why);
  }
}

/** Another process has held the tables for too long. */
export class TablesBusy extends IcecoreError {
  override readonly name = 'TablesBusy';

  constructor(path: string, seconds: number) {
    super('unavailable', `another process has held the tables in ${path} for ${seconds} s`, {
      facts: { path, seconds },
      remedy: 'Check that process, or try again later.',
    });
  }
}

export class TablesUnwritable extends IcecoreError {
  override readonly name = 'TablesUnwritable';

  constructor(path: string, cause: unknown) {
    super('storage', `the tables cannot be written to ${path}: ${reason(cause)}`, {
      facts: { path },
      remedy: 'Free some space or get write permission, or name another folder with ICECORE_TABLES=FOLDER.',
      cause,
    });
  }
}

/** Filling the tables took more memory than this machine can spare. */
export class TablesTooLarge extends IcecoreError {
  override readonly name = 'TablesTooLarge';

  constructor(path: string, megabytes: number, cause: unknown) {
    super('unavailable', `the tables in ${path} cannot be filled with ${megabytes} MB of memory`, {
      facts: { path, megabytes },
      remedy:
        'The events are unharmed. Refresh the tables on a machine with more memory, or keep long texts as blobs: record them with icecore event append --texts blobs.',
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
        ? 'Close unneeded files, or raise the limit of open files (ulimit -n), and try again.'
        : 'The tables are unchanged. Try again; if the error persists, check the disk, or name another folder with ICECORE_TABLES=FOLDER.',
      cause,
    });
  }
}

/** Whether another process holds a lock on the file. */
export function isLocked(error: unknown): boolean {
  return /Could not set lock|Conflicting lock|used by another process/i.test(textOf(error));
}

/** Messages of the operating system for missing permission or space. */
const unwritable =
  /Permission denied|Operation not permitted|Read-only file system|No space left|Disk quota|File too large/i;

/** Whether the operating system failed to read or write a file, independent of its content. */
function isOfTheSystem(error: unknown): boolean {
  const text = textOf(error);
  if (unwritable.test(text)) return true;
  // A missing file is not read again; a truncated file is its own fault.
  return !/No such file/i.test(text) && systemFault.test(text);
}

/** `Could not read from file "x": Input/output error`. */
const systemFault =
  /\b(?:Cannot open|Could not (?:read from|write(?: to)?|fsync|truncate|remove|rename|seek to location \d+ for|get file position)|Failed to get (?:stats|file size) for) file ".*": \S|\bE(?:IO|MFILE|NFILE|STALE|TIMEDOUT): /i;

/** A failure of the operating system as an error; null for other failures and for locks. */
export function storageFault(path: string, error: unknown): IcecoreError | null {
  if (error instanceof IcecoreError || isLocked(error) || !isOfTheSystem(error)) return null;
  return unwritable.test(textOf(error)) ? new TablesUnwritable(path, error) : new TablesUnreachable(path, error);
}

/** Whether DuckDB needed more than its limit of memory, or than the system gave it. */
export function isOutOfMemory(error: unknown): boolean {
  return !(error instanceof IcecoreError) && /Out of Memory|failed to allocate|bad_alloc/i.test(textOf(error));
}

/** Whether the file is at fault, not the query: icecore's own queries only use its own tables. */
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

/** For a failed program, its system message. */
function reason(error: unknown): string {
  return /\bE[A-Z]{3,}: .+/.exec(textOf(error))?.[0] ?? firstLine(error);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

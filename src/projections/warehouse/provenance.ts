// Which files of tables icecore itself wrote. DuckDB trusts the files it opens, and a folder from someone else can
// contain any file. So each file that icecore writes gets a record in the user's own settings, which no such folder can
// contain, and only a file that matches its record is opened. Any other file is rebuilt from the ledger.
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UserRecords } from '../../base/user-settings.ts';
import type { UnknownEvents } from '../../ledger/unknown-events.ts';
import { BrokenTables } from './errors.ts';
import { logsOf } from './place.ts';

/** How files of tables are trusted. */
export interface TablesTrust {
  /** The environment variables that determine the location of the user's settings. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * The user named the folder with ICECORE_TABLES: its files need no record, for example in containers without
   * permanent settings.
   */
  readonly isNamed: boolean;
}

export const ownRecords: TablesTrust = { env: process.env, isNamed: false };

export type Origin =
  | { readonly is: 'missing' }
  /** Unchanged since icecore wrote it. */
  | { readonly is: 'recorded' }
  /** A process of this user is writing to it. */
  | { readonly is: 'in progress' }
  /** Left by a process of this user that ended while writing: its committed content is in the file. */
  | { readonly is: 'interrupted' }
  /** In a folder that the user named, without a matching record. */
  | { readonly is: 'unrecorded' }
  | {
      readonly is: 'refused';
      readonly why: string;
      /** It is the file icecore made, but something else has changed it since. */
      readonly isAltered: boolean;
    };

interface Writer {
  readonly pid: number;
  /** The start time of the process in the system's own units; null if unknown. */
  readonly started: string | null;
}

interface Identity {
  readonly inode: string;
  /** In nanoseconds; null if the file system does not support it. */
  readonly born: string | null;
}

interface Content {
  readonly size: string;
  readonly modified: string;
  /** No program can set this time back. */
  readonly changed: string;
}

/** The content of a file of tables and the definitions behind it, readable without opening the file. */
export interface Knowledge {
  /** Of the last event. */
  readonly cursor: string;
  readonly digest: string;
  /** The cursor of the previous event; null if the last one is the first. */
  readonly before: string | null;
  readonly events: number;
  /** The digest of the definitions and of the known types. */
  readonly definitions: string;
  /** The events of unknown types or versions. */
  readonly unknown: readonly UnknownEvents[];
}

interface RecordBase {
  readonly path: string;
  readonly ledger: string;
}

type TablesRecord = RecordBase &
  (
    | { readonly state: 'creating'; readonly writer: Writer }
    | ({ readonly state: 'writing'; readonly writer: Writer } & Identity)
    | ({ readonly state: 'written'; readonly knows?: Knowledge } & Identity & Content)
  );

/** Records that could not be stored: this process at least remembers its own files. */
const unstored = new Map<string, TablesRecord>();

const kind = 'tables';

/** The records of the files of tables of one ledger, or of one shard of it. */
export class Provenance {
  readonly #ledger: string;
  readonly #isNamed: boolean;
  readonly #records: UserRecords;
  #storageFault: Error | null = null;

  constructor(ledger: string, { env, isNamed }: TablesTrust = ownRecords) {
    this.#ledger = ledger;
    this.#isNamed = isNamed;
    this.#records = new UserRecords(kind, env);
  }

  /** Why the last record could not be stored; null if it was stored, or none is needed. */
  get storageFault(): Error | null {
    return this.#isNamed ? null : this.#storageFault;
  }

  get folder(): string {
    return this.#records.folder;
  }

  originOf(path: string): Origin {
    for (let attempts = 0; ; attempts++) {
      const record = this.#read(path);
      const origin = this.#compare(path, record);
      // Another process may have written the file and the record between the two reads.
      const isSettled = JSON.stringify(record) === JSON.stringify(this.#read(path));
      if (origin.is !== 'refused' || isSettled || attempts === 5) return origin;
    }
  }

  /**
   * Throws BrokenTables if the file must not be opened for reading: what a killed process left must be repaired first.
   */
  requireSettled(path: string): void {
    const origin = this.originOf(path);
    if (origin.is === 'refused') throw new BrokenTables(path, origin.why);
    if (origin.is === 'missing') throw new BrokenTables(path, 'they are no longer there');
    if (origin.is === 'interrupted') throw new BrokenTables(path, 'the process that was writing them has ended');
  }

  /** Called before a file is created: until it has a record, other processes must know that it belongs to this user. */
  noteCreating(path: string): void {
    this.#store(path, { ...this.#base(path), state: 'creating', writer: thisProcess() });
  }

  /** The file is open for writing: until `noteWritten` it is recognised by its identity alone. */
  noteWriting(path: string): void {
    const found = statOf(path);
    if (found !== null)
      this.#store(path, { ...this.#base(path), state: 'writing', writer: thisProcess(), ...identityOf(found) });
  }

  /** The same for a file that is about to get this name. */
  noteRenaming(from: string, path: string): void {
    const found = statOf(from);
    if (found !== null)
      this.#store(path, { ...this.#base(path), state: 'writing', writer: thisProcess(), ...identityOf(found) });
  }

  /** The file is complete. Called while it is still held, so that no other process writes before this is recorded. */
  noteWritten(path: string, knows: Knowledge | null = null): void {
    const found = statOf(path);
    if (found === null) this.forget(path);
    else {
      const knowledge = knows === null ? {} : { knows };
      this.#store(path, {
        ...this.#base(path),
        state: 'written',
        ...identityOf(found),
        ...contentOf(found),
        ...knowledge,
      });
    }
  }

  /** For a file that icecore left unchanged; null otherwise or without a record. */
  knowledgeOf(path: string): Knowledge | null {
    const record = this.#read(path);
    if (record?.state !== 'written' || this.#compare(path, record).is !== 'recorded') return null;
    return asKnowledge(record.knows);
  }

  forget(path: string): void {
    const key = this.#keyOf(path);
    unstored.delete(key);
    try {
      this.#records.remove(key);
    } catch {
      // A record of a missing file matches no other file.
    }
  }

  /** Removes the records of missing files, of all ledgers. */
  forgetGone(): void {
    for (const found of this.#records.all()) {
      const record = asRecord(found);
      if (record === null || statOf(record.path) !== null) continue;
      if (record.state === 'creating' && isRunning(record.writer)) continue;
      try {
        this.#records.remove(keyFor(record.path, record.ledger));
      } catch {
        return;
      }
    }
  }

  #compare(path: string, record: TablesRecord | null): Origin {
    const found = statOf(path);
    if (found === null) return { is: 'missing' };
    if (!found.isFile()) return refused('it is not a regular file');
    if (found.nlink > 1n) return refused('it has another name elsewhere (a hard link)');
    const origin = compared(path, record, found);
    return origin.is === 'refused' && this.#isNamed ? { is: 'unrecorded' } : origin;
  }

  #base(path: string): RecordBase {
    return { path: realPathOf(path), ledger: this.#ledger };
  }

  #keyOf(path: string): string {
    return keyFor(realPathOf(path), this.#ledger);
  }

  #read(path: string): TablesRecord | null {
    const key = this.#keyOf(path);
    const record = unstored.get(key) ?? asRecord(this.#records.read(key));
    return record !== null && keyFor(record.path, record.ledger) === key ? record : null;
  }

  #store(path: string, record: TablesRecord): void {
    const key = this.#keyOf(path);
    try {
      this.#records.write(key, record);
      unstored.delete(key);
      this.#storageFault = null;
    } catch (error) {
      unstored.set(key, record);
      this.#storageFault = error instanceof Error ? error : new Error(String(error));
    }
  }
}

function compared(path: string, record: TablesRecord | null, found: Stat): Origin {
  if (record === null) return refused('their file was made in another folder (was the workspace copied or moved?)');
  if (record.state === 'creating') {
    return isRunning(record.writer) ? { is: 'in progress' } : refused('the process that was making it has ended');
  }
  const { inode, born } = identityOf(found);
  if (inode !== record.inode || born !== record.born) return refused('it is not the file icecore made here');
  if (record.state === 'writing') {
    if (isRunning(record.writer)) return { is: 'in progress' };
    // Without the time it was made, another file may have got the same number.
    return born === null ? refused('the process that was writing it has ended') : { is: 'interrupted' };
  }
  const { size, modified, changed } = contentOf(found);
  if (size !== record.size || modified !== record.modified || changed !== record.changed)
    return refused('it was changed by something else than icecore', true);
  if (logsOf(path).some((log) => statOf(log) !== null))
    return refused('there is a log beside it that icecore did not leave');
  return { is: 'recorded' };
}

function refused(why: string, isAltered = false): Origin {
  return { is: 'refused', why, isAltered };
}

type Stat = NonNullable<ReturnType<typeof statOf>>;

/** Null if it does not exist. Links are not followed. */
function statOf(path: string) {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
}

function identityOf({ ino, birthtimeNs }: Stat): Identity {
  return { inode: String(ino), born: birthtimeNs > 0n ? String(birthtimeNs) : null };
}

function contentOf({ size, mtimeNs, ctimeNs }: Stat): Content {
  return { size: String(size), modified: String(mtimeNs), changed: String(ctimeNs) };
}

/** The folder with links resolved, and the name in it: the file itself may be a link, which is not a file of tables. */
function realPathOf(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return resolve(path);
  }
}

function keyFor(path: string, ledger: string): string {
  return JSON.stringify([path, ledger]);
}

function thisProcess(): Writer {
  return { pid: process.pid, started: startOf(process.pid) };
}

/** Process ids are reused, but with another start time. */
function isRunning({ pid, started }: Writer): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return startOf(pid) === started;
}

/** On Linux it is a field after the name, which may contain spaces and brackets; unknown on other systems. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** Null if this version of icecore did not write it. */
function asRecord(found: unknown): TablesRecord | null {
  if (typeof found !== 'object' || found === null) return null;
  const record = found as Partial<Record<string, unknown>>;
  const { path, ledger, state, writer } = record;
  if (typeof path !== 'string' || typeof ledger !== 'string') return null;
  const needed = { creating: [], writing: ['inode'], written: ['inode', 'size', 'modified', 'changed'] };
  if (state !== 'creating' && state !== 'writing' && state !== 'written') return null;
  if (state !== 'written' && !isWriter(writer)) return null;
  return needed[state].every((name) => typeof record[name] === 'string') ? (found as TablesRecord) : null;
}

function asKnowledge(found: unknown): Knowledge | null {
  if (typeof found !== 'object' || found === null) return null;
  const { cursor, digest, before, events, definitions, unknown } = found as Partial<Record<keyof Knowledge, unknown>>;
  if (!Array.isArray(unknown)) return null;
  const isKnown = [cursor, digest, definitions].every((text) => typeof text === 'string') && Number.isInteger(events);
  return isKnown && (before === null || typeof before === 'string') ? (found as Knowledge) : null;
}

function isWriter(found: unknown): found is Writer {
  return typeof found === 'object' && found !== null && Number.isSafeInteger((found as Partial<Writer>).pid);
}

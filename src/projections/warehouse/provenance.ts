// Which files of tables icecore itself wrote. DuckDB trusts a file it opens, and a folder that somebody handed over can hold
// any file. So each file that icecore writes gets a record in the user's own settings, which no such folder can bring along,
// and only a file that is still as its record says is opened. Any other is built anew from the ledger.
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UserRecords } from '../../base/user-settings.ts';
import type { UnknownEvents } from '../../ledger/unknown-events.ts';
import { BrokenTables } from './errors.ts';
import { logsOf } from './place.ts';

/** Whose word is taken for a file of tables. */
export interface TablesTrust {
  /** Says where the user's settings are. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user named the folder, as with ICECORE_TABLES: its files need no record, as where no settings outlive a container. */
  readonly isNamed: boolean;
}

export const ownRecords: TablesTrust = { env: process.env, isNamed: false };

export type Origin =
  | { readonly is: 'missing' }
  /** As icecore left it. */
  | { readonly is: 'recorded' }
  /** A process of this user is writing to it. */
  | { readonly is: 'in progress' }
  /** Left by a process of this user that ended while it wrote: what it had committed is in the file. */
  | { readonly is: 'interrupted' }
  /** In a folder that the user named, without a record that fits. */
  | { readonly is: 'unrecorded' }
  | {
      readonly is: 'refused';
      readonly why: string;
      /** It is the file icecore made, and something else has changed it since. */
      readonly isAltered: boolean;
    };

interface Writer {
  readonly pid: number;
  /** When the process started, in the system's own count; null where the system does not tell. */
  readonly started: string | null;
}

interface Identity {
  readonly inode: string;
  /** In nanoseconds; null where the file system does not tell. */
  readonly born: string | null;
}

interface Content {
  readonly size: string;
  readonly modified: string;
  /** No program can set this time back. */
  readonly changed: string;
}

/** What the tables in a file know, and what made them: who reads this need not open the file to find out. */
export interface Knowledge {
  /** Of the last event. */
  readonly cursor: string;
  readonly digest: string;
  /** The cursor of the event before that; null where it was the first. */
  readonly before: string | null;
  readonly events: number;
  /** The digest of the definitions that the tables are filled and shown by, and of the types that are known. */
  readonly definitions: string;
  /** How many of the events are of types or versions that are not known. */
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

/** Records that could not be stored: this process at least knows what it wrote itself. */
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

  /** Why the last record could not be stored; null where it was, or where none is needed. */
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
      // Another process may have written file and record between the two looks.
      const isSettled = JSON.stringify(record) === JSON.stringify(this.#read(path));
      if (origin.is !== 'refused' || isSettled || attempts === 5) return origin;
    }
  }

  /** Throws BrokenTables where the file must not be opened to read: what a killed process left is first to be settled. */
  requireSettled(path: string): void {
    const origin = this.originOf(path);
    if (origin.is === 'refused') throw new BrokenTables(path, origin.why);
    if (origin.is === 'missing') throw new BrokenTables(path, 'they are no longer there');
    if (origin.is === 'interrupted') throw new BrokenTables(path, 'the process that was writing them has ended');
  }

  /** Before a file is made that is not there yet: until it has a record, others must know that it is no stranger's. */
  noteCreating(path: string): void {
    this.#store(path, { ...this.#base(path), state: 'creating', writer: thisProcess() });
  }

  /** The file is open for writing: until `noteWritten` it is told by its identity alone. */
  noteWriting(path: string): void {
    const found = statOf(path);
    if (found !== null)
      this.#store(path, { ...this.#base(path), state: 'writing', writer: thisProcess(), ...identityOf(found) });
  }

  /** The same, of a file that is about to get the name. */
  noteRenaming(from: string, path: string): void {
    const found = statOf(from);
    if (found !== null)
      this.#store(path, { ...this.#base(path), state: 'writing', writer: thisProcess(), ...identityOf(found) });
  }

  /** Nothing more is written to it. While it is still held, so that no other process writes before this is recorded. */
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

  /** Of a file that is still as icecore left it; null where that is not so, or was not recorded. */
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
      // A record of a file that is gone fits no other.
    }
  }

  /** Removes the records of files that are gone, of whatever ledger. */
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
  if (record === null) return refused('icecore has no record of making this file here');
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

/** Null where there is nothing. A link is not followed. */
function statOf(path: string) {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
}

function identityOf({ ino, birthtimeNs }: Stat): Identity {
  return { inode: String(ino), born: birthtimeNs > 0n ? String(birthtimeNs) : null };
}

function contentOf({ size, mtimeNs, ctimeNs }: Stat): Content {
  return { size: String(size), modified: String(mtimeNs), changed: String(ctimeNs) };
}

/** Of the folder with links resolved, and the name in it: the file itself may be a link, which is no file of tables. */
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

/** A number is given to another process some day, which then started at another time. */
function isRunning({ pid, started }: Writer): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return startOf(pid) === started;
}

/** Linux tells it in the field after the name, which may hold spaces and brackets; elsewhere it is not told. */
function startOf(pid: number): string | null {
  try {
    const told = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return told.slice(told.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** Null for what this icecore did not write. */
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

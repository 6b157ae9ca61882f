// Opens a DuckDB file that several processes want: a process that finds it locked waits a random time and tries again.
// A file is open only while it is used. Within a process there is one instance at a time: a second one would not be
// blocked, and closing it would drop the locks of the first.
import { totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { IcecoreError } from '../../../schemas/errors.ts';
import { BrokenTables, firstLine, isLocked, storageFault, TablesBusy } from './errors.ts';
import { stagingFolder } from './place.ts';

export interface Held {
  readonly instance: DuckDBInstance;
  /** A connection that ends with the instance at the latest: an open connection keeps the file open. */
  connect(): Promise<DuckDBConnection>;
  /** Closes the instance; then others may open the file. */
  release(): void;
}

export interface HoldOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for other processes, in milliseconds. */
  readonly patience?: number;
  /** Throws if the file must not be opened. Called before each attempt, because the file may be replaced meanwhile. */
  readonly admit?: ((path: string) => void) | undefined;
}

/** Opening a file must never download an extension. */
const common = { autoload_known_extensions: 'false', autoinstall_known_extensions: 'false' };

/** For a whole instance: the times in tables are in UTC, and DuckDB would compare them with the local time. */
export const inUtc = "SET GLOBAL TimeZone = 'UTC'";

/** A query may hold the file for as long as queries may run; nothing holds it for longer. */
const longestMs = 600_000;

/** Attempts cost time for the process that holds the file: pauses grow with the time waited. */
const shortestPauseMs = 25;
const longestPauseMs = 250;

/** Throws BrokenTables, TablesBusy, TablesUnwritable, TablesUnreachable. */
export async function hold(
  path: string,
  settings: Readonly<Record<string, string>>,
  options: HoldOptions = {},
): Promise<Held> {
  const release = await turnAt(path);
  try {
    const instance = await openWhenFree(path, () => DuckDBInstance.create(path, { ...common, ...settings }), options);
    const connections: DuckDBConnection[] = [];
    const connect = async (): Promise<DuckDBConnection> => {
      const connection = await instance.connect();
      connections.push(connection);
      return connection;
    };
    let held = true;
    const letGo = (): void => {
      if (!held) return;
      held = false;
      for (const connection of connections) connection.closeSync();
      instance.closeSync();
      release();
    };
    return { instance, connect, release: letGo };
  } catch (error) {
    release();
    throw error;
  }
}

/** Provides a connection to a file, and releases the file when `body` is done. */
export async function within<Result>(
  path: string,
  settings: Readonly<Record<string, string>>,
  options: HoldOptions,
  body: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const held = await hold(path, settings, options);
  try {
    return await body(await held.connect());
  } finally {
    held.release();
  }
}

/**
 * Nothing in a file can reach other files or change these settings: they apply before DuckDB opens it. The order
 * matters.
 */
const locked: Readonly<Record<string, string>> = {
  allow_community_extensions: 'false',
  enable_external_access: 'false',
  lock_configuration: 'true',
};

/** Read-only: other processes may read at the same time. */
export const reading: Readonly<Record<string, string>> = { access_mode: 'READ_ONLY', ...locked };

/** Opens a file as soon as no other process blocks it. */
async function openWhenFree<Opened>(
  path: string,
  open: () => Promise<Opened>,
  { signal, patience = longestMs, admit }: HoldOptions,
): Promise<Opened> {
  const started = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    try {
      admit?.(path);
      return await open();
    } catch (error) {
      if (error instanceof IcecoreError) throw error;
      const fault = storageFault(path, error);
      if (fault !== null) throw fault;
      if (!isLocked(error)) throw new BrokenTables(path, firstLine(error), error);
    }
    const waited = performance.now() - started;
    if (waited > patience) throw new TablesBusy(path, Math.round(waited / 1000));
    await sleep(
      Math.random() * Math.min(longestPauseMs, shortestPauseMs + waited / 4),
      undefined,
      signal === undefined ? {} : { signal },
    ).catch(() => undefined);
  }
}

const turns = new Map<string, Promise<void>>();

/** Resolves when earlier callers in this process are done; returns a function that ends this turn. */
async function turnAt(path: string): Promise<() => void> {
  const before = turns.get(path) ?? Promise.resolve();
  let end = (): void => undefined;
  const mine = new Promise<void>((resolve) => {
    end = resolve;
  });
  const after = before.then(() => mine);
  turns.set(path, after);
  await before;
  return () => {
    if (turns.get(path) === after) turns.delete(path);
    end();
  };
}

// DuckDB's settings for filling tables.

const usualMegabytes = 300;

export interface FillingMemory {
  readonly usualMegabytes: number;
  /** For a ledger that the usual limit is too small for. */
  readonly mostMegabytes: number;
}

/** DuckDB holds 2,048 values of a column at once, whatever the limit, and each may be a text of a megabyte. */
const largestNeedMegabytes = 8_000;

export function fillingMemory(): FillingMemory {
  const halfOfThisMachine = Math.floor(Math.min(totalmem(), process.constrainedMemory() || totalmem()) / 2e6);
  return {
    usualMegabytes,
    mostMegabytes: Math.max(usualMegabytes, Math.min(largestNeedMegabytes, halfOfThisMachine)),
  };
}

/** These compression methods save a third of the space, but choosing among them takes time with every batch. */
const slowToChoose = 'alp,alprd,chimp,patas,fsst,dict_fsst,zstd';

/**
 * Rows may be in any order, which several threads fill faster. Commits go directly into the file, because writing them
 * to the log first would write them twice. Apart from the file only its staging folder is accessible: DuckDB stores
 * data there that does not fit into memory, and accepts no other folder once external access is off.
 */
export function fillingIn(path: string, megabytes = usualMegabytes): Readonly<Record<string, string>> {
  return {
    preserve_insertion_order: 'false',
    memory_limit: `${megabytes}MB`,
    checkpoint_threshold: '1KB',
    disabled_compression_methods: slowToChoose,
    temp_directory: stagingFolder(path),
    allowed_configs: "['max_vacuum_tasks', 'threads']",
    ...locked,
  };
}

// Opening a DuckDB file among processes that all want it: who finds it locked waits a random moment and tries again. A file
// is open only while it is worked with. Within a process one instance at a time: a second one would not be kept out, and
// closing it would drop the locks of the first.
import { setTimeout as sleep } from 'node:timers/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { IcecoreError } from '../../../schemas/errors.ts';
import { BrokenTables, firstLine, isLocked, storageFault, TablesBusy } from './errors.ts';
import { spoolOf } from './place.ts';

export interface Held {
  readonly instance: DuckDBInstance;
  /** A connection that ends with the instance at the latest: one that is open keeps the file open. */
  connect(): Promise<DuckDBConnection>;
  /** Closes the instance; then others may have the file. */
  release(): void;
}

export interface HoldOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for others, in milliseconds. */
  readonly patience?: number;
  /** Throws where the file must not be opened. Called before each attempt, since the file may be replaced meanwhile. */
  readonly admit?: ((path: string) => void) | undefined;
}

/** A file of another kind is not to be opened by what would first have to be fetched. */
const common = { autoload_known_extensions: 'false', autoinstall_known_extensions: 'false' };

/** A query of a person may keep the file for as long as queries may take; nobody keeps it for longer. */
const longestMs = 600_000;

/** To try costs time that whoever has the file could use: who has waited for long waits for longer. */
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
    const instance = await patiently(path, () => DuckDBInstance.create(path, { ...common, ...settings }), options);
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

/** Hands over a connection to a file that is held, and lets go of the file when `body` is done. */
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

/** Nothing in a file can reach another file or change these settings: they hold before DuckDB opens it. In this order. */
const locked: Readonly<Record<string, string>> = {
  allow_community_extensions: 'false',
  enable_external_access: 'false',
  lock_configuration: 'true',
};

/** For looking only: others may look at the same time. */
export const reading: Readonly<Record<string, string>> = { access_mode: 'READ_ONLY', ...locked };

/** Opens a file, as soon as nobody else has it in a way that keeps this one out. */
async function patiently<Opened>(
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

/** Resolves when whoever in this process came earlier is done; with what ends one's own turn. */
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

// How DuckDB is set where tables are filled.

/** They save a third of the room, and to choose among them costs time with every batch. */
const slowToChoose = 'alp,alprd,chimp,patas,fsst,dict_fsst,zstd';

/**
 * Rows may lie in any order, which several threads fill faster. What is committed goes into the file at once: written to the
 * log first, it would be written twice. Beside the file itself only its own spool can be read and written: that is where
 * DuckDB may keep what does not fit into memory, and it takes no other folder once external access is off.
 */
export function fillingIn(path: string): Readonly<Record<string, string>> {
  return {
    preserve_insertion_order: 'false',
    memory_limit: '300MB',
    checkpoint_threshold: '1KB',
    disabled_compression_methods: slowToChoose,
    temp_directory: spoolOf(path),
    allowed_configs: "['max_vacuum_tasks', 'threads']",
    ...locked,
  };
}

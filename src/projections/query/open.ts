// The one place where DuckDB is opened for questions. External access being off is not enough: DuckDB still lets a statement
// read and write the database's own file and log, and reading them would drop the locks of this process. So its file system
// is switched off as well, once the file is open; nothing is spilled to disk, and running out of memory is an error.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type Held, type HoldOptions, hold } from '../warehouse/holding.ts';

const common = {
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
};

/** Errors come as JSON: their kind and place need not be guessed from prose. */
const spoken = 'SET GLOBAL errors_as_json = true';

/** In this order: each step takes away what the one before it still needed. */
const lock = [
  spoken,
  "SET temp_directory = ''",
  'SET enable_external_access = false',
  "SET disabled_filesystems = 'LocalFileSystem'",
  'SET lock_configuration = true',
];

export interface TablesFile {
  readonly path: string;
  /** How the tables have to be filled, as `filledBy` says it: several versions of icecore may work on them. */
  readonly filled?: string | undefined;
}

/** The file, for reading only; nothing else can be reached through it. */
export async function openLocked(path: string, memoryMegabytes: number, options: HoldOptions): Promise<Held> {
  const settings = { ...common, access_mode: 'READ_ONLY', memory_limit: `${memoryMegabytes}MiB` };
  const held = await hold(path, settings, options);
  try {
    await lockDown(await held.instance.connect());
    return held;
  } catch (error) {
    held.release();
    throw error;
  }
}

async function lockDown(connection: DuckDBConnection): Promise<void> {
  try {
    for (const step of lock) await connection.run(step);
  } finally {
    connection.closeSync();
  }
}

/** Tables of its own, which spill to the folder when memory is short. No statement of a person ever reaches it. */
export function openScratch(folder: string, memoryMegabytes: number, diskMegabytes?: number): Promise<DuckDBInstance> {
  return DuckDBInstance.create(':memory:', {
    ...common,
    errors_as_json: 'true',
    memory_limit: `${memoryMegabytes}MiB`,
    temp_directory: folder,
    ...(diskMegabytes === undefined ? {} : { max_temp_directory_size: `${diskMegabytes}MiB` }),
  });
}

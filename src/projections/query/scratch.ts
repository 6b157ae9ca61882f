// In-memory tables, separate from the locked ones: rows of a result are inserted into one, and DuckDB converts them to
// a file or a text. No user statement ever reaches it, so it may write files.
import { type DuckDBAppender, type DuckDBConnection, type DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api';
import { quoteName } from '../../base/sql-quoting.ts';
import { inUtc } from '../warehouse/holding.ts';
import { TooMuchDisk } from './errors.ts';
import { memoryFault } from './faults.ts';

interface ScratchOptions {
  readonly memoryMegabytes: number;
  /** Where data that does not fit into memory is stored temporarily; by default nowhere. */
  readonly folder?: string;
  /** The maximum size of temporary data; unlimited by default. */
  readonly diskMegabytes?: number;
  /** A single thread keeps rows in order. */
  readonly threads?: number;
}

/** The caller closes it. */
export async function openScratch(options: ScratchOptions): Promise<DuckDBInstance> {
  const { memoryMegabytes, folder = '', diskMegabytes, threads } = options;
  const instance = await DuckDBInstance.create(':memory:', {
    autoload_known_extensions: 'false',
    autoinstall_known_extensions: 'false',
    errors_as_json: 'true',
    memory_limit: `${memoryMegabytes}MiB`,
    temp_directory: folder,
    ...(diskMegabytes === undefined ? {} : { max_temp_directory_size: `${diskMegabytes}MiB` }),
    ...(threads === undefined ? {} : { threads: String(threads) }),
  });
  const connection = await instance.connect();
  await connection.run(inUtc);
  connection.closeSync();
  return instance;
}

interface ScratchColumn {
  readonly name: string;
  /** As SQL writes it. Values of another type are cast to it. */
  readonly type: string;
}

/** A table whose rows are appended chunk by chunk. */
export class ScratchTable {
  readonly connection: DuckDBConnection;
  readonly #columns: string;
  #appender: DuckDBAppender | null = null;

  private constructor(connection: DuckDBConnection, columns: readonly ScratchColumn[]) {
    this.connection = connection;
    this.#columns = columns.map(({ name, type }) => `${quoteName(name)} ${type}`).join(', ');
  }

  static async make(instance: DuckDBInstance, columns: readonly ScratchColumn[]): Promise<ScratchTable> {
    const table = new ScratchTable(await instance.connect(), columns);
    await table.clear();
    return table;
  }

  /** Deleting rows would not free their memory. */
  async clear(): Promise<void> {
    await this.connection.run(`CREATE OR REPLACE TABLE rows (${this.#columns})`);
  }

  async append(chunk: DuckDBDataChunk): Promise<void> {
    this.#appender ??= await this.connection.createAppender('rows');
    this.#appender.appendDataChunk(chunk);
  }

  /** After this call, appended rows are in the table. */
  flush(): void {
    this.#appender?.closeSync();
    this.#appender = null;
  }
}

/**
 * Makes names unique, because readers by name keep only one column per name: the first one keeps its name, others
 * become `name_1`, `name_2`, as in DuckDB's subqueries.
 */
export function apart(names: readonly string[], { first = 1, ignoresCase = false } = {}): readonly string[] {
  const key = (name: string): string => (ignoresCase ? name.toLowerCase() : name);
  const wanted = new Set(names.map(key));
  const taken = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let n = first; taken.has(key(own)) || (own !== name && wanted.has(key(own))); n++) own = `${name}_${n}`;
    taken.add(key(own));
    return own;
  });
}

export function scratchFault(error: unknown, { memoryMegabytes, diskMegabytes, folder }: ScratchOptions): unknown {
  const fault = memoryFault(error, memoryMegabytes);
  const isDisk = folder !== undefined && diskMegabytes !== undefined;
  return isDisk && fault !== error ? new TooMuchDisk(diskMegabytes, error) : fault;
}

// Tables of DuckDB's own in memory, beside the locked ones: rows of an answer are put into one, and DuckDB makes a file or a
// text of them. No statement of a person ever reaches it, so that it may write files where it is meant to.
import { type DuckDBAppender, type DuckDBConnection, type DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api';
import { IcecoreError } from '../../../schemas/errors.ts';
import { quoteName } from '../sql.ts';
import { TooMuchDisk, TooMuchMemory } from './errors.ts';
import { faultIn } from './faults.ts';

interface ScratchOptions {
  readonly memoryMegabytes: number;
  /** Where what does not fit into memory is kept for a while; left out: nowhere. */
  readonly folder?: string;
  /** At most so much of it; left out: as much as there is. */
  readonly diskMegabytes?: number;
  /** Rows stay in their order with one alone. */
  readonly threads?: number;
}

/** To be closed by whoever gets it. */
export function openScratch(options: ScratchOptions): Promise<DuckDBInstance> {
  const { memoryMegabytes, folder = '', diskMegabytes, threads } = options;
  return DuckDBInstance.create(':memory:', {
    autoload_known_extensions: 'false',
    autoinstall_known_extensions: 'false',
    errors_as_json: 'true',
    memory_limit: `${memoryMegabytes}MiB`,
    temp_directory: folder,
    ...(diskMegabytes === undefined ? {} : { max_temp_directory_size: `${diskMegabytes}MiB` }),
    ...(threads === undefined ? {} : { threads: String(threads) }),
  });
}

interface ScratchColumn {
  readonly name: string;
  /** As SQL says it. Values of another type become it as in a cast. */
  readonly type: string;
}

/** A table of rows that are handed in chunk by chunk. */
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

  /** Rows that were deleted would keep their memory. */
  async clear(): Promise<void> {
    await this.connection.run(`CREATE OR REPLACE TABLE rows (${this.#columns})`);
  }

  async append(chunk: DuckDBDataChunk): Promise<void> {
    this.#appender ??= await this.connection.createAppender('rows');
    this.#appender.appendDataChunk(chunk);
  }

  /** What was appended is in the table then. */
  flush(): void {
    this.#appender?.closeSync();
    this.#appender = null;
  }
}

/** Names told apart, since what reads rows by names loses all but one of those that are the same: the first of a name keeps it,
 * others become `name_1`, `name_2`, as DuckDB itself names them in a subquery. */
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
  if (error instanceof IcecoreError || faultIn(error).kind !== 'Out of Memory') return error;
  const isDisk = folder !== undefined && diskMegabytes !== undefined;
  return isDisk ? new TooMuchDisk(diskMegabytes, error) : new TooMuchMemory(memoryMegabytes, error);
}

// Tables as Parquet, cut into folders by run and stage. This is an instance of DuckDB's of its own, which may write files:
// nothing that somebody typed ever reaches it. It reads the snapshot of the tables, so that nobody waits for it.
import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { Watch } from '../../../projections/query/watch.ts';
import { quote } from '../../../projections/sql.ts';
import { type Held, hold } from '../../../projections/warehouse/holding.ts';
import { partitionName } from '../hive.ts';
import type { ChosenTable } from './choice.ts';

export interface Written {
  /** In the folder, with /. */
  readonly path: string;
  readonly rows: number;
}

export interface WrittenTable {
  /** At least one. */
  readonly files: readonly Written[];
  /** The columns by which it was cut. */
  readonly partitions: readonly string[];
}

export interface TableWriter {
  write(chosen: ChosenTable, folder: string, signal: AbortSignal): Promise<WrittenTable>;
  close(): Promise<void>;
}

const memory = '1GiB';

/** Longer than anybody waits; whoever does not want to stops it. */
const seconds = 1_000_000;

/** `spill` is a folder for what does not fit into memory. */
export async function parquetWriter(snapshot: string, spill: string): Promise<TableWriter> {
  const held = await hold(snapshot, {
    access_mode: 'READ_ONLY',
    memory_limit: memory,
    temp_directory: spill,
    preserve_insertion_order: 'false',
  });
  return new ParquetWriter(held);
}

class ParquetWriter implements TableWriter {
  readonly #held: Held;

  constructor(held: Held) {
    this.#held = held;
  }

  async write(chosen: ChosenTable, folder: string, signal: AbortSignal): Promise<WrittenTable> {
    const connection = await this.#held.connect();
    try {
      return await partitioned(new Copying(connection, signal), chosen, folder);
    } finally {
      connection.closeSync();
    }
  }

  async close(): Promise<void> {
    this.#held.release();
  }
}

export async function partitioned(
  copying: Copying,
  { table, partitions, query }: ChosenTable,
  folder: string,
): Promise<WrittenTable> {
  const own = join(folder, table.name);
  await rm(own, { recursive: true, force: true });
  await mkdir(own, { recursive: true });
  if (partitions.length === 0) {
    const [file] = await copying.copy(query, join(own, 'data_0.parquet'), []);
    return { files: [{ path: `${table.name}/data_0.parquet`, rows: file?.rows ?? 0 }], partitions };
  }
  const files = await copying.copy(query, own, partitions);
  // Of a column that is null everywhere, as all are where there are no rows, nobody could tell the type.
  const known = partitions.filter((column) => files.some(({ keys }) => (keys.get(column) ?? null) !== null));
  if (known.length < partitions.length) return await partitioned(copying, { table, partitions: known, query }, folder);
  return { files: await renamed(files, { folder, own, partitions }), partitions };
}

interface Copied {
  readonly path: string;
  readonly rows: number;
  /** The values of the columns that name its folder, by column. */
  readonly keys: ReadonlyMap<string, string | null>;
}

export class Copying {
  readonly #connection: DuckDBConnection;
  readonly #watch: Watch;

  constructor(connection: DuckDBConnection, signal: AbortSignal) {
    this.#connection = connection;
    this.#watch = new Watch(connection, seconds, signal);
  }

  async copy(query: string, to: string, partitions: readonly string[]): Promise<readonly Copied[]> {
    const by = partitions.length === 0 ? '' : `, PARTITION_BY (${partitions.join(', ')})`;
    const sql = `COPY (${query}) TO ${quote(to)} (FORMAT parquet, RETURN_STATS true${by})`;
    const result = await this.#watch.during(() => this.#connection.runAndReadAll(sql));
    return result.getRowObjectsJson().map(({ filename, count, partition_keys: keys }) => ({
      path: String(filename),
      rows: Number(count),
      keys: new Map((keys as readonly Key[] | null)?.map(({ key, value }) => [key, value])),
    }));
  }
}

interface Key {
  readonly key: string;
  readonly value: string | null;
}

/** DuckDB writes %XX for all that is no plain letter, which Hive and Spark do not read as it is meant. */
async function renamed(
  files: readonly Copied[],
  {
    folder,
    own,
    partitions,
  }: { readonly folder: string; readonly own: string; readonly partitions: readonly string[] },
): Promise<readonly Written[]> {
  const found: Written[] = [];
  const emptied = new Set<string>();
  for (const { path, rows, keys } of files) {
    const place = join(own, ...partitions.map((column) => partitionName(column, keys.get(column) ?? null)));
    const name = join(place, path.slice(dirname(path).length + 1));
    if (name !== path) {
      await mkdir(place, { recursive: true });
      await rename(path, name);
      for (let left = dirname(path); left !== own; left = dirname(left)) emptied.add(left);
    }
    found.push({ path: relative(folder, name).split(sep).join('/'), rows });
  }
  const deepestFirst = [...emptied].sort((a, b) => b.length - a.length);
  for (const left of deepestFirst) await rmdir(left).catch(() => undefined);
  return found;
}

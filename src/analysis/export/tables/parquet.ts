// Tables as Parquet, cut into folders by run and stage. This is an instance of DuckDB's of its own, which may write files:
// nothing that somebody typed ever reaches it. It reads the snapshot of the tables, so that nobody waits for it.
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quote } from '../../../base/sql-quoting.ts';
import { Watch } from '../../../projections/query/watch.ts';
import { type Held, hold } from '../../../projections/warehouse/holding.ts';
import { partitionName } from '../folder.ts';
import type { ChosenTable } from './choice.ts';

interface Written {
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

/** What runs, and ablations with evidence of their arms, are called, by identity. */
export type RunNames = ReadonlyMap<string, string>;

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
  const connection = await held.connect();
  try {
    const runs = await connection.runAndReadAll('SELECT run_id, run FROM log.recorders');
    return new ParquetWriter(held, new Map(runs.getRowsJson().map(([id, name]) => [String(id), String(name)])));
  } catch (error) {
    held.release();
    throw error;
  } finally {
    connection.closeSync();
  }
}

class ParquetWriter implements TableWriter {
  readonly #held: Held;
  readonly #names: RunNames;

  constructor(held: Held, names: RunNames) {
    this.#held = held;
    this.#names = names;
  }

  async write(chosen: ChosenTable, folder: string, signal: AbortSignal): Promise<WrittenTable> {
    const connection = await this.#held.connect();
    try {
      return await partitioned(new Copying(connection, signal), chosen, folder, this.#names);
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
  names: RunNames,
): Promise<WrittenTable> {
  const own = join(folder, table.name);
  await mkdir(own, { recursive: true });
  if (partitions.length === 0) {
    const [file] = await copying.copy(query, join(own, 'data_0.parquet'), []);
    return { files: [{ path: `${table.name}/data_0.parquet`, rows: file?.rows ?? 0 }], partitions };
  }
  const cut = `${own}.cut`;
  const files = await copying.copy(query, cut, partitions);
  // Of a column that is null everywhere, as all are where there are no rows, nobody could tell the type.
  const known = partitions.filter((column) => files.some(({ keys }) => (keys.get(column) ?? null) !== null));
  const areKnown = known.length === partitions.length;
  const placed = areKnown ? await inPlace(files, { folder, own, partitions, names }) : [];
  await rm(cut, { recursive: true, force: true });
  if (!areKnown) return await partitioned(copying, { table, partitions: known, query }, folder, names);
  return { files: placed, partitions };
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
    // Of a name of many letters that are no ASCII, DuckDB makes a folder's that is too long for any file system.
    const cut = partitions.includes('run') ? `SELECT * REPLACE (run_id AS run) FROM (${query})` : query;
    const sql = `COPY (${cut}) TO ${quote(to)} (FORMAT parquet, RETURN_STATS true${by})`;
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

interface Cut {
  readonly folder: string;
  readonly own: string;
  readonly partitions: readonly string[];
  readonly names: RunNames;
}

/** Under the names of runs, as Hive and Spark read them: DuckDB would write %XX for all that is no plain letter. */
async function inPlace(files: readonly Copied[], { folder, own, partitions, names }: Cut): Promise<readonly Written[]> {
  const found: Written[] = [];
  for (const { path, rows, keys } of files) {
    const called = (column: string): string | null => {
      const key = keys.get(column) ?? null;
      return key !== null && column === 'run' ? (names.get(key) ?? key) : key;
    };
    const place = join(own, ...partitions.map((column) => partitionName(column, called(column))));
    const name = join(place, basename(path));
    await mkdir(place, { recursive: true });
    await rename(path, name);
    found.push({ path: relative(folder, name).split(sep).join('/'), rows });
  }
  return found;
}

// Events on their way into columns: spooled as lines into files beside the place they are meant for, which DuckDB then reads.
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { StoredEvent } from '../../../ledger/stored.ts';
import { openScratch } from '../../../projections/query/scratch.ts';
import { fileList, quote } from '../../../projections/sql.ts';
import { lineOf } from '../bundle/lines.ts';
import { Copying, partitioned, type WrittenTable } from '../tables/parquet.ts';
import { eventsTable, queryOf } from './columns.ts';

/** Several files are read by several threads. */
const fileCharacters = 64 * 1024 * 1024;

export interface Spooled {
  readonly files: readonly string[];
  readonly events: number;
}

/** Into a folder that is made. */
export async function spool(
  events: AsyncIterable<readonly StoredEvent[]>,
  folder: string,
  onProgress: (events: number) => Promise<void>,
): Promise<Spooled> {
  await mkdir(folder, { recursive: true });
  const files: string[] = [];
  let count = 0;
  let left = 0;
  let file: Awaited<ReturnType<typeof open>> | null = null;
  try {
    for await (const some of events) {
      if (file === null || left <= 0) {
        await file?.close();
        const path = join(folder, `events-${files.length}.ndjson`);
        file = await open(path, 'w');
        files.push(path);
        left = fileCharacters;
      }
      const text = some.map(lineOf).join('');
      await file.writeFile(text);
      left -= text.length;
      count += some.length;
      await onProgress(count);
    }
  } finally {
    await file?.close();
  }
  return { files, events: count };
}

const memoryMegabytes = 1024;

/** Hands over a connection that knows the spooled events, and the query of them. */
export async function withSpooled<Result>(
  { files, events }: Spooled,
  folder: string,
  names: ReadonlyMap<string, string>,
  body: (connection: DuckDBConnection, query: string) => Promise<{ readonly rows: number; readonly result: Result }>,
): Promise<Result> {
  const instance = await openScratch({ memoryMegabytes, folder: join(folder, 'spill') });
  try {
    const connection = await instance.connect();
    try {
      await connection.run('SET preserve_insertion_order = false');
      await connection.run('CREATE TABLE names (run VARCHAR, name VARCHAR)');
      const rows = Array.from(names, ([run, name]) => `(${quote(run)}, ${quote(name)})`);
      if (rows.length > 0) await connection.run(`INSERT INTO names VALUES ${rows.join(', ')}`);
      const done = await body(connection, files.length === 0 ? nothing : queryOf(fileList(files)));
      if (done.rows !== events) throw new EventsUnread(events, done.rows);
      return done.result;
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}

const nothing = `SELECT * FROM (SELECT ${eventsTable.columns
  .map(({ name, type }) => `CAST(NULL AS ${type}) AS ${name}`)
  .join(', ')}) WHERE false`;

/** As `name` in a folder, cut by these columns. */
export async function spooledAsParquet(
  spooled: Spooled,
  {
    folder,
    working,
    names,
  }: { readonly folder: string; readonly working: string; readonly names: ReadonlyMap<string, string> },
  partitions: readonly string[],
  signal: AbortSignal,
): Promise<WrittenTable> {
  return await withSpooled(spooled, working, names, async (connection, query) => {
    const result = await partitioned(
      new Copying(connection, signal),
      { table: eventsTable, partitions, query },
      folder,
      names,
    );
    return { rows: result.files.reduce((sum, { rows }) => sum + rows, 0), result };
  });
}

/** What is no JSON can be in no column. */
class EventsUnread extends IcecoreError {
  override readonly name = 'EventsUnread';

  constructor(events: number, rows: number) {
    super('damaged', `of ${events} events, ${rows} can be read`, {
      facts: { events, rows },
      remedy: 'icecore verify tells which are damaged. --format ndjson takes events as they are.',
    });
  }
}

// Events on their way into columns: staged as lines into files beside the place they are meant for, which DuckDB then reads.
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { fileList, quote } from '../../../base/sql-quoting.ts';
import type { StoredEvent } from '../../../ledger/stored.ts';
import type { DocumentedTable } from '../../../projections/documentation.ts';
import { openScratch } from '../../../projections/query/scratch.ts';
import { lineOf } from '../bundle/parts.ts';
import { Copying, partitioned, type WrittenTable } from '../tables/parquet.ts';

/** Several files are read by several threads. */
const fileCharacters = 64 * 1024 * 1024;

interface Staged {
  readonly files: readonly string[];
  readonly events: number;
}

/** Into a folder that is made. */
export async function stageEvents(
  events: AsyncIterable<readonly StoredEvent[]>,
  folder: string,
  onProgress: (events: number) => Promise<void>,
): Promise<Staged> {
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

/** The columns of Parquet and Arrow. */
export const eventsTable: DocumentedTable = {
  name: 'events',
  meaning: 'Events: each as it was recorded, whole.',
  from: 'icecore',
  columns: [
    { name: 'type', type: 'VARCHAR', meaning: 'its type; docs/events.md lists them' },
    { name: 'run', type: 'VARCHAR', meaning: 'the run it belongs to; null where it belongs to none' },
    { name: 'stage', type: 'BIGINT', meaning: 'its stage; null where it belongs to none' },
    { name: 'happened_at', type: 'TIMESTAMP', meaning: 'when it happened (UTC)' },
    { name: 'recorded_at', type: 'TIMESTAMP', meaning: 'when the ledger wrote it (UTC)' },
    { name: 'actor', type: 'VARCHAR', meaning: 'who did it, as kind/identity' },
    { name: 'data', type: 'JSON', meaning: 'what it says, as JSON' },
    { name: 'stream', type: 'VARCHAR', meaning: 'its stream' },
    { name: 'revision', type: 'BIGINT', meaning: 'its place there, from 0' },
    { name: 'version', type: 'BIGINT', meaning: 'the version of its type' },
    { name: 'causes', type: 'JSON', meaning: 'what led to it, as JSON' },
    { name: 'previous', type: 'VARCHAR', meaning: 'the digest of the event before it, where the stream is a chain' },
    { name: 'digest', type: 'VARCHAR', meaning: 'SHA-256 of its bytes' },
    { name: 'id', type: 'VARCHAR', meaning: 'its id' },
    { name: 'run_id', type: 'VARCHAR', meaning: 'the identity of the run' },
  ],
};

/** From the lines of events, as they are staged, to these columns. `names` is a table of runs by identity. */
function queryOf(files: string): string {
  return `SELECT e.type, coalesce(n.name, e.run) AS run, e.stage, ${moment('at')} AS happened_at,
    ${moment('recordedAt')} AS recorded_at, e.actor, e.data, e.stream, e.revision, e.version, e.causes, e.previous,
    e.digest, e.id, e.run AS run_id
  FROM read_json(${files}, format = 'newline_delimited', maximum_object_size = 16777216, columns = {
    type: 'VARCHAR', run: 'VARCHAR', stage: 'BIGINT', "at": 'VARCHAR', "recordedAt": 'VARCHAR', actor: 'VARCHAR',
    data: 'JSON', stream: 'VARCHAR', revision: 'BIGINT', version: 'BIGINT', causes: 'JSON', previous: 'VARCHAR',
    digest: 'VARCHAR', id: 'VARCHAR'}) AS e
  LEFT JOIN names AS n ON n.run = e.run`;
}

function moment(column: string): string {
  return `timezone('UTC', TRY_CAST(e."${column}" AS TIMESTAMPTZ))`;
}

const memoryMegabytes = 1024;

/** Hands over a connection that knows the staged events, and the query of them. */
export async function withStaged<Result>(
  { files, events }: Staged,
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
export async function stagedAsParquet(
  staged: Staged,
  {
    folder,
    working,
    names,
  }: { readonly folder: string; readonly working: string; readonly names: ReadonlyMap<string, string> },
  partitions: readonly string[],
  signal: AbortSignal,
): Promise<WrittenTable> {
  return await withStaged(staged, working, names, async (connection, query) => {
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

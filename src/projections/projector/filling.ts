// From batches to tables: each fill that takes events of a batch's types runs over them, and the cursor moves, in one
// transaction. What is committed is therefore filled exactly once, whatever dies.
import type { DuckDBConnection } from '@duckdb/node-api';
import { fileList, quote } from '../sql.ts';
import type { Fill, TableDefinition } from '../tables/definition.ts';
import { batchSource, shapeFor } from './batch.ts';
import { inTransaction, type Position, rowsOf, setPosition } from './layout.ts';
import { type Batch, opaque, streamsFile } from './spool.ts';

const vacuumTasks = 100;

/**
 * Small batches leave small groups of rows, which DuckDB would join to larger ones each time anew. About one batch in 32 is
 * enough; which ones, the digest of its last event says, so that nobody has to count.
 */
function joinsRows({ digest }: Position): boolean {
  return Number.parseInt(digest.slice(0, 2), 16) < 8;
}

/** Fills one batch, and says that the feed got so far. */
export async function fillBatch(
  connection: DuckDBConnection,
  definitions: readonly TableDefinition[],
  batch: Batch,
  feed: string,
  position: Position,
): Promise<void> {
  await inTransaction(connection, async () => {
    const repeats = await repeatsIn(connection, batch);
    await fillTables(connection, definitions, batch.files, repeats);
    await noteStreams(connection, batch);
    await setPosition(connection, feed, position);
    await connection.run(`SET max_vacuum_tasks = ${joinsRows(position) ? vacuumTasks : 0}`);
  });
}

/** The fills alone, for tables that are made anew. */
export async function fillTables(
  connection: DuckDBConnection,
  definitions: readonly TableDefinition[],
  files: Batch['files'],
  repeats = '',
): Promise<void> {
  const fills = definitions.flatMap((definition) => definition.fills);
  for (const [type, some] of files) {
    if (type === streamsFile) continue;
    for (const fill of fills.filter((one) => takes(one, type)))
      await connection.run(statement(fill, type, some, repeats));
  }
}

export function takes({ from }: Fill, type: string): boolean {
  return from.types.includes(type) !== from.but;
}

function statement(fill: Fill, type: string, files: readonly string[], repeats: string): string {
  const shape = fill.raw || type === opaque ? 'JSON' : shapeFor(type);
  const source = batchSource(files, shape);
  const wanted = repeats === '' ? source : `(SELECT * FROM ${source} WHERE NOT (${repeats}))`;
  return fill.sql.replaceAll(/\bFROM (?:batch|raw)\b/g, () => `FROM ${wanted} AS batch`);
}

function spooledStreams({ files }: Batch): string {
  const columns = `{stream: 'VARCHAR', kind: 'VARCHAR', run: 'VARCHAR', stage: 'BIGINT', shard: 'BIGINT',
    attempt: 'BIGINT', first: 'BIGINT', last: 'BIGINT', events: 'BIGINT'}`;
  return `read_json(${fileList(files.get(streamsFile) ?? [])}, format = 'newline_delimited', columns = ${columns})`;
}

/** What of the batch the tables have already, as a condition; empty where there is nothing, as with most stores always. */
async function repeatsIn(connection: DuckDBConnection, batch: Batch): Promise<string> {
  const rows = await rowsOf(
    connection,
    `SELECT known.stream, known.last FROM log.streams AS known JOIN ${spooledStreams(batch)} AS now USING (stream)
     WHERE now.first <= known.last`,
  );
  return rows.map(({ stream, last }) => `stream = ${quote(String(stream))} AND revision <= ${last}`).join(' OR ');
}

async function noteStreams(connection: DuckDBConnection, batch: Batch): Promise<void> {
  await connection.run(
    `MERGE INTO log.streams AS known USING ${spooledStreams(batch)} AS now ON known.stream = now.stream
     WHEN MATCHED THEN UPDATE SET
       events = known.events + greatest(0, now.events - greatest(0, known.last - now.first + 1)),
       last = greatest(known.last, now.last)
     WHEN NOT MATCHED THEN INSERT (stream, kind, run_id, stage, shard, attempt, last, events)
       VALUES (now.stream, now.kind, now.run, now.stage, now.shard, now.attempt, now.last, now.events)`,
  );
}

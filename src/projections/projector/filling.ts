// Fills tables from batches: all fills for the batch's types run and the cursor moves in one transaction. So every
// event is filled exactly once, even if the process is killed.
import type { DuckDBConnection } from '@duckdb/node-api';
import type { EventTypes } from '../../../schemas/check.ts';
import { fileList } from '../../base/sql-quoting.ts';
import { Filling, replaceRows, type Touched, touchedInBatch, touchedOnce } from '../model/filling.ts';
import type { TableCatalogue } from '../tables/catalogue.ts';
import type { Fill, TableDefinition } from '../tables/definition.ts';
import { batchSource, type Shape, shapeFor } from './batch.ts';
import { inTransaction, type Position, rowsOf, setPosition } from './layout.ts';
import type { Source } from './source.ts';
import { type Batch, streamsFile } from './staging.ts';

const vacuumTasks = 100;

/** Each thread fills its own row groups: for smaller batches this costs more than it saves. */
const charactersForThreads = 32_000_000;

/**
 * Small batches leave small row groups, and DuckDB would merge them again after each batch. Merging after about one
 * batch in 32 is enough, chosen by the digest of its last event instead of a stored counter.
 */
function joinsRows({ digest }: Position): boolean {
  return Number.parseInt(digest.slice(0, 2), 16) < 8;
}

/**
 * Fills the new events of a batch and moves the feed's position. A store may deliver an event again; it is filled and
 * counted once.
 */
export async function fillBatch(
  connection: DuckDBConnection,
  catalogue: TableCatalogue,
  batch: Batch,
  source: Pick<Source, 'id' | 'read'>,
  from: Position | null,
): Promise<Position> {
  if (batch.characters < charactersForThreads) await connection.run('SET threads = 1');
  return await inTransaction(connection, async () => {
    const comparison = await comparedWithKnown(connection, batch);
    const { added, touched } = comparison;
    await fillNew(connection, catalogue, batch, comparison);
    await addUp(connection, catalogue.definitions);
    await replaceRows(new Filling(connection, catalogue, source, batch.path), touched);
    // After a batch without new events the position stays: repeated events may be old.
    if (added === 0 && from !== null) return from;
    const before = batch.before ?? from?.cursor ?? null;
    const position = { ...batch.end, before, events: (from?.events ?? 0) + added };
    await setPosition(connection, source.id, position);
    await connection.run(`SET max_vacuum_tasks = ${joinsRows(position) ? vacuumTasks : 0}`);
    return position;
  });
}

async function fillNew(
  connection: DuckDBConnection,
  catalogue: TableCatalogue,
  batch: Batch,
  { repeats }: Compared,
): Promise<void> {
  if (repeats) {
    await connection.run(
      `CREATE TEMP TABLE repeated AS SELECT known.stream, known.last FROM log.streams AS known
       JOIN ${stagedStreams(batch)} AS now ON known.stream = now.stream AND now.first <= known.last`,
    );
    await fillTables(connection, catalogue, batch.files, 'temp.repeated');
    await connection.run('DROP TABLE temp.repeated');
  } else await fillTables(connection, catalogue, batch.files);
  await noteStreams(connection, batch);
}

/** The fills without the cursor; `repeated` names a table of events to skip. */
export async function fillTables(
  connection: DuckDBConnection,
  { definitions, types }: Pick<TableCatalogue, 'definitions' | 'types'>,
  files: Batch['files'],
  repeated: string | null = null,
): Promise<void> {
  const found = [...files].filter(([type]) => type !== streamsFile);
  for (const fill of definitions.flatMap((definition) => definition.fills)) {
    const taken = found.filter(([type]) => takes(fill, type));
    // In recorded form, events of all types have the same shape.
    if (fill.from.but && taken.length > 0) {
      const all = taken.flatMap(([, some]) => some);
      await connection.run(statement(fill, 'recorded', all, repeated));
    } else if (!fill.from.but)
      for (const [type, some] of taken) await connection.run(statement(fill, shapeIn(types, type), some, repeated));
  }
}

/** DuckDB numbers the uncommitted rows of a transaction from here on. */
const firstAdded = 36_028_797_018_960_000n;

/** Updates the stored sums with the rows of this transaction: once per transaction, before its end. */
export async function addUp(connection: DuckDBConnection, definitions: readonly TableDefinition[]): Promise<void> {
  for (const { of, sql } of definitions.flatMap((definition) => definition.tallies)) {
    const added = `(SELECT * FROM log.${of} WHERE rowid >= ${firstAdded})`;
    await connection.run(sql.replaceAll(/\bFROM added\b/g, () => `FROM ${added} AS added`));
  }
}

function takes({ from }: Fill, type: string): boolean {
  return from.types.includes(type) !== from.but;
}

function shapeIn(types: EventTypes, type: string): Shape {
  return types.has(type) ? { current: shapeFor(types.get(type)) } : 'recorded';
}

function statement(fill: Fill, shape: Shape, files: readonly string[], repeated: string | null): string {
  const source = batchSource(files, shape);
  const wanted = repeated === null ? source : `(SELECT * FROM ${source} AS event ${unless(repeated)})`;
  return fill.sql.replaceAll(/\bFROM batch\b/g, () => `FROM ${wanted} AS batch`);
}

function unless(repeated: string): string {
  return `ANTI JOIN ${repeated} AS repeated ON event.stream = repeated.stream AND event.revision <= repeated.last`;
}

function stagedStreams({ files }: Batch): string {
  const columns = `{stream: 'VARCHAR', kind: 'VARCHAR', run: 'VARCHAR', stage: 'BIGINT', part: 'VARCHAR', shard: 'BIGINT',
    attempt: 'BIGINT', first: 'BIGINT', last: 'BIGINT', events: 'BIGINT'}`;
  return `read_json(${fileList(files.get(streamsFile) ?? [])}, format = 'newline_delimited', columns = ${columns})`;
}

/** For a stream in a batch: the number of events that are not known yet. */
const newOnes = 'greatest(0, now.events - greatest(0, known.last - now.first + 1))';

interface Compared {
  /** The number of new events in a batch. */
  readonly added: number;
  /** Whether it has events that are not new, which most stores never deliver. */
  readonly repeats: boolean;
  readonly touched: readonly Touched[];
}

async function comparedWithKnown(connection: DuckDBConnection, batch: Batch): Promise<Compared> {
  const [row] = await rowsOf(
    connection,
    `SELECT sum(if(known.stream IS NULL, now.events, ${newOnes}))::BIGINT AS added,
       coalesce(bool_or(now.first <= known.last), false) AS repeats, ${touchedInBatch} AS touched
     FROM ${stagedStreams(batch)} AS now LEFT JOIN log.streams AS known ON known.stream = now.stream`,
  );
  const touched = touchedOnce((row?.['touched'] ?? []) as Parameters<typeof touchedOnce>[0]);
  return { added: Number(row?.['added']), repeats: row?.['repeats'] === true, touched };
}

async function noteStreams(connection: DuckDBConnection, batch: Batch): Promise<void> {
  await connection.run(
    `MERGE INTO log.streams AS known USING ${stagedStreams(batch)} AS now ON known.stream = now.stream
     WHEN MATCHED THEN UPDATE SET events = known.events + ${newOnes}, last = greatest(known.last, now.last)
     WHEN NOT MATCHED THEN INSERT (stream, kind, run_id, stage, part, shard, attempt, last, events)
       VALUES (now.stream, now.kind, now.run, now.stage, now.part, now.shard, now.attempt, now.last, now.events)`,
  );
}

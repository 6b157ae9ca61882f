// How rows of the read model get into tables: at the end of a batch each run that it touches is read once, up to the event
// that the tables know, and its rows are put in place of those it had. What that costs grows with the run's own events.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { EventTypes } from '../../../schemas/check.ts';
import { checksOf } from '../../../schemas/own-events.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { type RunReader, readRun } from '../../producers/history/run-read.ts';
import { inTransaction, rowsOf } from '../projector/layout.ts';
import type { Source } from '../projector/source.ts';
import { quote, quoteName } from '../sql.ts';
import type { TableCatalogue } from '../tables/catalogue.ts';
import type { Row, Rows } from './rows.ts';
import { rowsOfRun } from './run-rows.ts';

/** A run with new events, and the first of its revisions that is new. */
export interface Touched {
  readonly run: string;
  readonly from: number;
}

/** The runs that a batch touches: those with new events of their own, or with evidence of which there was none. */
export async function touchedBy(connection: DuckDBConnection, streams: string): Promise<readonly Touched[]> {
  const rows = await rowsOf(
    connection,
    `SELECT now.run, min(if(now.kind = 'run', greatest(now.first, coalesce(known.last, -1) + 1), 4294967296))::BIGINT AS first
     FROM ${streams} AS now LEFT JOIN log.streams AS known ON known.stream = now.stream
     WHERE now.kind = 'run' AND now.last > coalesce(known.last, -1) OR now.kind = 'evidence' AND known.stream IS NULL
     GROUP BY now.run`,
  );
  return rows.map(({ run, first }) => ({ run: String(run), from: Number(first) }));
}

/** With a run, its forks whose shared history changes. */
async function withForks(connection: DuckDBConnection, touched: readonly Touched[]): Promise<readonly string[]> {
  const all = new Set(touched.map(({ run }) => run));
  for (let parents = touched; parents.length > 0; ) {
    const values = parents.map(({ run, from }) => `(${quote(run)}, ${from})`).join(', ');
    const forks = await rowsOf(
      connection,
      `SELECT DISTINCT f.run_id AS run FROM log.runs AS f JOIN (VALUES ${values}) AS p (run, first)
         ON f.parent = p.run AND f.parent_revision >= p.first`,
    );
    const added = forks.map(({ run }) => String(run)).filter((run) => !all.has(run));
    for (const run of added) all.add(run);
    parents = added.map((run) => ({ run, from: 0 }));
  }
  return [...all];
}

/** Where rows are made from, and where they go. */
export class Filling {
  readonly connection: DuckDBConnection;
  readonly #types: EventTypes;
  /** By name, the statements that make them. */
  readonly #tables: ReadonlyMap<string, string>;
  readonly #source: Pick<Source, 'read'>;
  /** Files of rows begin with it. */
  readonly #path: string;

  constructor(
    connection: DuckDBConnection,
    { definitions, types }: Pick<TableCatalogue, 'definitions' | 'types'>,
    source: Pick<Source, 'read'>,
    path: string,
  ) {
    this.connection = connection;
    this.#types = types;
    this.#tables = new Map(
      definitions.flatMap(({ modelled, stored }) => modelled.map((table) => [table, stored.get(table) ?? ''] as const)),
    );
    this.#source = source;
    this.#path = path;
  }

  async remove(streams: readonly string[]): Promise<void> {
    const known = streams.map(quote).join(', ');
    for (const table of this.#tables.keys())
      await this.connection.run(`DELETE FROM log.${table} WHERE stream IN (${known})`);
  }

  async fill(runs: readonly string[]): Promise<void> {
    const evidence = await this.#evidenceOf(runs);
    const files = new Map(
      [...this.#tables.keys()].map((table) => [table, new RowsFile(`${this.#path}-rows-${table}.ndjson`)]),
    );
    try {
      for (const run of runs) {
        const rows = await this.#rowsOf(run, evidence.get(run) ?? []);
        for (const [table, file] of files) file.add(streamOf.run(run), rows[table] ?? []);
      }
      for (const [table, file] of files) await this.#load(table, file);
    } finally {
      for (const file of files.values()) file.remove();
    }
  }

  async #rowsOf(run: string, evidence: readonly number[]): Promise<Rows> {
    return rowsOfRun(await readRun(this.#reader(), { run, name: run }), evidence);
  }

  /** Reads no further than the tables know the ledger, and leaves out events that are not what their type says. */
  #reader(): RunReader {
    const lastOf = async (stream: string): Promise<number> => {
      const sql = `SELECT last FROM log.streams WHERE stream = ${quote(stream)}`;
      const [known] = await rowsOf(this.connection, sql);
      return Number(known?.['last'] ?? -1);
    };
    const [source, types] = [this.#source, this.#types];
    return {
      read: async function* (stream, { to = Number.MAX_SAFE_INTEGER } = {}) {
        const last = Math.min(to, await lastOf(stream));
        if (last < 0) return;
        for await (const events of source.read(stream, { to: last }))
          yield events.filter((event) => isSound(event, types));
      },
    };
  }

  async #evidenceOf(runs: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>> {
    const rows = await rowsOf(
      this.connection,
      `SELECT run_id AS run, list(DISTINCT stage) AS stages FROM log.streams
       WHERE kind = 'evidence' AND run_id IN (${runs.map(quote).join(', ')}) GROUP BY run_id`,
    );
    return new Map(rows.map(({ run, stages }) => [String(run), (stages as readonly unknown[]).map(Number)]));
  }

  async #load(table: string, file: RowsFile): Promise<void> {
    if (file.end() === 0) return;
    const columns = await this.#columnsOf(table);
    const read = columns.map(([name, type]) => `${quote(name)}: ${quote(readAs(type))}`);
    const moments = columns
      .filter(([, type]) => type === 'TIMESTAMP')
      .map(([name]) => `make_timestamp(epoch_us(${quoteName(name)})) AS ${quoteName(name)}`);
    const replaced = moments.length === 0 ? '' : ` REPLACE (${moments.join(', ')})`;
    await this.connection.run(
      `INSERT INTO log.${table} SELECT *${replaced} FROM read_json(${quote(file.path)}, format = 'newline_delimited',
         maximum_object_size = ${longestRow}, columns = {${read.join(', ')}})`,
    );
  }

  async #columnsOf(table: string): Promise<readonly Column[]> {
    const create = this.#tables.get(table) ?? '';
    const known = columnsBy.get(create);
    if (known !== undefined) return known;
    const columns = await rowsOf(
      this.connection,
      `SELECT column_name AS name, data_type AS type FROM duckdb_columns()
       WHERE schema_name = 'log' AND table_name = ${quote(table)} ORDER BY column_index`,
    );
    const found = columns.map(({ name, type }): Column => [String(name), String(type)]);
    columnsBy.set(create, found);
    return found;
  }
}

type Column = readonly [name: string, type: string];

/** By the statement that makes a table: DuckDB takes long to list columns. */
const columnsBy = new Map<string, readonly Column[]>();

/** An event may be of a megabyte, and its row not much longer. */
const longestRow = 8_000_000;

/** Moments are recorded with an offset. */
function readAs(type: string): string {
  return type === 'TIMESTAMP' ? 'TIMESTAMPTZ' : type;
}

/** Replaces the rows of the runs that are touched, and of the forks that share a history with them. */
export async function replaceRows(filling: Filling, touched: readonly Touched[]): Promise<void> {
  if (touched.length === 0) return;
  const runs = await withForks(filling.connection, touched);
  const streams = runs.map((run) => streamOf.run(run));
  const known = await rowsOf(
    filling.connection,
    `SELECT stream FROM log.runs WHERE stream IN (${streams.map(quote).join(', ')})`,
  );
  if (known.length > 0) await filling.remove(known.map(({ stream }) => String(stream)));
  await filling.fill(runs);
}

/** Rows of so many runs are in memory at once. */
const runsAtOnce = 200;

/** Fills tables that are empty, some runs in each transaction. */
export async function fillAllRows(filling: Filling, signal?: AbortSignal): Promise<void> {
  const { connection } = filling;
  const rows = await rowsOf(
    connection,
    "SELECT DISTINCT run_id AS run FROM log.streams WHERE kind IN ('run', 'evidence')",
  );
  const runs = rows.map(({ run }) => String(run));
  for (let from = 0; from < runs.length; from += runsAtOnce) {
    signal?.throwIfAborted();
    await inTransaction(connection, () => filling.fill(runs.slice(from, from + runsAtOnce)));
  }
}

/** What others wrote may not be as its type declares it. What is not known at all decides nothing. */
function isSound(event: StoredEvent, types: EventTypes): boolean {
  event.types = types;
  try {
    const { id, type, version, at, actor, run, stage, causes, data } = event.envelope;
    if (!event.reading.known) return true;
    const fields = { id, type, version, at, actor, run, stage, causes, data };
    return checksOf(types).fields(event.stream, fields).length === 0;
  } catch {
    return false;
  }
}

/** Rows on their way to DuckDB, in a file that is nobody else's. */
class RowsFile {
  readonly path: string;
  #descriptor: number | null = null;
  #text = '';
  #rows = 0;

  constructor(path: string) {
    this.path = path;
  }

  add(stream: string, rows: readonly Row[]): void {
    for (const row of rows) this.#text += `${JSON.stringify({ stream, ...row })}\n`;
    this.#rows += rows.length;
    if (this.#text.length > pieceCharacters) this.#flush();
  }

  /** How many rows there are. */
  end(): number {
    if (this.#rows > 0) this.#flush();
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
    return this.#rows;
  }

  remove(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    rmSync(this.path, { force: true });
  }

  #flush(): void {
    this.#descriptor ??= openSync(this.path, 'wx', 0o600);
    const bytes = Buffer.from(this.#text);
    for (let from = 0; from < bytes.length; ) from += writeSync(this.#descriptor, bytes, from);
    this.#text = '';
  }
}

/** A text of so many characters is written at once. */
const pieceCharacters = 1 << 18;

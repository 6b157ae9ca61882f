// Fills the tables of the read model: at the end of a batch, each affected run and ablation is read once up to the
// event that the tables know, and its rows are replaced. The cost grows with the run's own events only.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { EventTypes } from '../../../schemas/check.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { checksOf } from '../../../schemas/own-events.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { quote, quoteName } from '../../base/sql-quoting.ts';
import { DamagedEvent } from '../../ledger/errors.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { type RunReader, readRun } from '../../producers/history/reading.ts';
import { inTransaction, rowsOf } from '../projector/layout.ts';
import type { Source } from '../projector/source.ts';
import type { TableCatalogue } from '../tables/catalogue.ts';
import { StreamEvents } from './events.ts';
import { rowsOfAblation, rowsOfRun } from './model.ts';
import type { Row, Rows } from './rows.ts';

/** A decision stream with new events, and its first new revision. */
export interface Touched {
  readonly stream: string;
  readonly from: number;
}

/** Higher than any revision. */
const noRevision = 4_294_967_296;

/**
 * SQL for the decision streams that a batch affects, where `now` are its streams and `known` the earlier ones: streams
 * with new events, and those of runs with evidence for the first time.
 */
export const touchedInBatch = `list({
    'stream': if(now.kind = 'evidence', 'run-' || now.run, now.stream),
    'from': if(now.kind = 'evidence', ${noRevision}, coalesce(known.last, -1) + 1)
  }) FILTER (
    now.kind IN ('run', 'ablation') AND now.last > coalesce(known.last, -1)
    OR now.kind = 'evidence' AND known.stream IS NULL
  )`;

/** Each stream once, with its first new revision. */
export function touchedOnce(found: readonly { readonly stream: string; readonly from: bigint }[]): readonly Touched[] {
  const first = new Map<string, number>();
  for (const { stream, from } of found) first.set(stream, Math.min(first.get(stream) ?? noRevision, Number(from)));
  return Array.from(first, ([stream, from]) => ({ stream, from }));
}

/** Adds the forks of a run whose shared history changes. */
async function withForks(connection: DuckDBConnection, touched: readonly Touched[]): Promise<readonly string[]> {
  const all = new Set(touched.map(({ stream }) => stream));
  for (let parents = touched; parents.length > 0; ) {
    const values = parents.map(({ stream, from }) => `(${quote(stream)}, ${from})`).join(', ');
    const forks = await rowsOf(
      connection,
      `SELECT DISTINCT f.owner FROM log.runs AS f JOIN (VALUES ${values}) AS p (stream, first)
         ON 'run-' || f.parent = p.stream AND f.parent_revision >= p.first`,
    );
    const added = forks.map(({ owner }) => String(owner)).filter((stream) => !all.has(stream));
    for (const stream of added) all.add(stream);
    parents = added.map((stream) => ({ stream, from: 0 }));
  }
  return [...all];
}

/** The source and target of rows. */
export class Filling {
  readonly connection: DuckDBConnection;
  readonly #types: EventTypes;
  /** The CREATE statements by table name. */
  readonly #tables: ReadonlyMap<string, string>;
  readonly #source: Pick<Source, 'read'>;
  /** The prefix of row files. */
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

  /** Other catalogues may lack the decision tables. */
  get isOfRuns(): boolean {
    return this.#tables.has('runs');
  }

  /** `isEmpty` means that the tables are new, whatever they contained before. */
  async fill(streams: readonly string[], isEmpty = false): Promise<void> {
    if (streams.length === 0) return;
    const [evidence, known] = [await this.#evidenceOf(streams), await this.#digestsOf(streams)];
    const owners = new RowsFile(`${this.#path}-owners.ndjson`);
    const tables = Array.from(this.#tables.keys(), (name) => new ChangedRows(name, this.#path));
    try {
      for (const stream of streams) {
        const rows = await this.#rowsOf(stream, evidence.get(stream) ?? []);
        const before = known.get(stream) ?? {};
        const digests = tables.map((table) => [
          table.name,
          table.add(stream, rows[table.name] ?? [], isEmpty ? noRows : (before[table.name] ?? noRows)),
        ]);
        owners.add(`${JSON.stringify({ owner: stream, digests: { ...before, ...Object.fromEntries(digests) } })}\n`);
      }
      for (const { name, owners: outdated, file } of tables) {
        if (outdated.length > 0) await this.#remove(name, outdated);
        await this.#load(name, file);
      }
      if (known.size > 0) await this.#remove('owners', [...known.keys()]);
      await this.#load('owners', owners);
    } finally {
      for (const { file } of tables) file.remove();
      owners.remove();
    }
  }

  async #remove(table: string, owners: readonly string[]): Promise<void> {
    await this.connection.run(`DELETE FROM log.${table} WHERE owner IN (${owners.map(quote).join(', ')})`);
  }

  async #digestsOf(streams: readonly string[]): Promise<ReadonlyMap<string, TableDigests>> {
    const rows = await rowsOf(
      this.connection,
      `SELECT owner, digests FROM log.owners WHERE owner IN (${streams.map(quote).join(', ')})`,
    );
    return new Map(rows.map(({ owner, digests }) => [String(owner), parseJson(String(digests)) as TableDigests]));
  }

  async #rowsOf(stream: string, evidence: readonly number[]): Promise<Rows> {
    try {
      return await this.#rowsFrom(
        this.#reader(() => true),
        stream,
        evidence,
      );
    } catch (error) {
      if (!(error instanceof TypeError) && !(error instanceof DamagedEvent)) throw error;
      // Other writers may have recorded events that violate their type. Checking every event in advance would take
      // long.
      return await this.#rowsFrom(this.#reader(isSound), stream, evidence);
    }
  }

  async #rowsFrom(reader: RunReader, stream: string, evidence: readonly number[]): Promise<Rows> {
    const own: StoredEvent[] = [];
    for await (const page of reader.read(stream)) own.push(...page);
    const events = new StreamEvents(stream, own);
    const run = runIn(stream);
    if (run === null) return rowsOfAblation(events);
    const once: RunReader = {
      read: (of, options) => (of === stream && options?.to === undefined ? pageOf(own) : reader.read(of, options)),
    };
    return rowsOfRun(await readRun(once, { run, name: run }), events, evidence);
  }

  /** Reads no further than the tables know the ledger. */
  #reader(accepts: (event: StoredEvent, types: EventTypes) => boolean): RunReader {
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
        for await (const events of source.read(stream, { to: last })) {
          for (const event of events) event.types = types;
          yield events.filter((event) => accepts(event, types));
        }
      },
    };
  }

  async #evidenceOf(streams: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>> {
    const runs = streams.flatMap((stream) => runIn(stream) ?? []);
    if (runs.length === 0) return new Map();
    const rows = await rowsOf(
      this.connection,
      `SELECT run_id AS run, list(DISTINCT stage) AS stages FROM log.streams
       WHERE kind = 'evidence' AND run_id IN (${runs.map(quote).join(', ')}) GROUP BY run_id`,
    );
    return new Map(
      rows.map(({ run, stages }) => [streamOf.run(String(run)), (stages as readonly unknown[]).map(Number)]),
    );
  }

  async #load(table: string, file: RowsFile): Promise<void> {
    if (!file.end()) return;
    const columns = await this.#columnsOf(table);
    const read = columns.map(([name, type]) => `${quote(name)}: ${quote(readAs(type))}`);
    const moments = columns
      .filter(([, type]) => type === 'TIMESTAMP')
      .map(([name]) => `make_timestamp(epoch_us(${quoteName(name)})) AS ${quoteName(name)}`);
    const replacement = moments.length === 0 ? '' : ` REPLACE (${moments.join(', ')})`;
    await this.connection.run(
      `INSERT INTO log.${table} SELECT *${replacement} FROM read_json(${quote(file.path)}, format = 'newline_delimited',
         ignore_errors = true, maximum_object_size = ${longestRow}, columns = {${read.join(', ')}}) WHERE owner IS NOT NULL`,
    );
  }

  async #columnsOf(table: string): Promise<readonly Column[]> {
    const create = this.#tables.get(table) ?? table;
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

/** Null for the stream of an ablation. */
function runIn(stream: string): string | null {
  return stream.startsWith('run-') ? stream.slice('run-'.length) : null;
}

async function* pageOf(events: readonly StoredEvent[]): AsyncGenerator<readonly StoredEvent[]> {
  yield events;
}

/** By CREATE statement, because listing columns is slow in DuckDB. */
const columnsBy = new Map<string, readonly Column[]>();

/** An event can have a megabyte, and its row not much more. */
const longestRow = 8_000_000;

/** Times are recorded with an offset. */
function readAs(type: string): string {
  return type === 'TIMESTAMP' ? 'TIMESTAMPTZ' : type;
}

/** Replaces the rows of the affected streams and of the forks that share their history. */
export async function replaceRows(filling: Filling, touched: readonly Touched[]): Promise<void> {
  if (touched.length === 0 || !filling.isOfRuns) return;
  await filling.fill(await withForks(filling.connection, touched));
}

/** The number of streams whose rows are in memory at once. */
const streamsAtOnce = 200;

/** Fills empty tables, with several streams per transaction. */
export async function fillAllRows(filling: Filling, signal?: AbortSignal): Promise<void> {
  const { connection } = filling;
  const rows = await rowsOf(
    connection,
    `SELECT DISTINCT if(kind = 'evidence', 'run-' || run_id, stream) AS owner FROM log.streams
     WHERE kind IN ('run', 'ablation', 'evidence')`,
  );
  const streams = rows.map(({ owner }) => String(owner));
  for (let from = 0; from < streams.length; from += streamsAtOnce) {
    signal?.throwIfAborted();
    await inTransaction(connection, () => filling.fill(streams.slice(from, from + streamsAtOnce), true));
  }
}

/** Whether an event matches its type. Unknown events are ignored. */
function isSound(event: StoredEvent, types: EventTypes): boolean {
  try {
    const { id, type, version, at, actor, run, stage, causes, data } = event.envelope;
    if (!event.reading.known) return true;
    const fields = { id, type, version, at, actor, run, stage, causes, data };
    return checksOf(types).fields(event.stream, fields).length === 0;
  } catch {
    return false;
  }
}

/** By table, the number and digest of an owner's rows. */
type TableDigests = Readonly<Record<string, string>>;

const noRows = '0';

/** Finds the tables whose rows changed: most events change or add rows in a few tables only. */
class ChangedRows {
  readonly name: string;
  readonly file: RowsFile;
  /** The owners whose rows in the table are outdated. */
  readonly owners: string[] = [];

  constructor(name: string, path: string) {
    this.name = name;
    this.file = new RowsFile(`${path}-rows-${name}.ndjson`);
  }

  /** Returns the digest of the rows. `before` is that of the rows in the table. */
  add(owner: string, rows: readonly Row[], before: string): string {
    const lines = rows.map((row) => `${JSON.stringify({ owner, ...row })}\n`);
    const count = Number.parseInt(before, 10);
    const isLonger = before === digestOf(lines.slice(0, count));
    if (!isLonger) this.owners.push(owner);
    this.file.add(lines.slice(isLonger ? count : 0).join(''));
    return digestOf(lines);
  }
}

function digestOf(lines: readonly string[]): string {
  return lines.length === 0 ? noRows : `${lines.length} ${sha256(lines.join('')).slice(0, 32)}`;
}

/** Rows on their way to DuckDB, in a private file. */
class RowsFile {
  readonly path: string;
  #descriptor: number | null = null;
  #text = '';

  constructor(path: string) {
    this.path = path;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length > pieceCharacters) this.#flush();
  }

  /** Whether there are any rows. */
  end(): boolean {
    if (this.#text !== '') this.#flush();
    if (this.#descriptor === null) return false;
    closeSync(this.#descriptor);
    this.#descriptor = null;
    return true;
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

/** The number of characters per write. */
const pieceCharacters = 1 << 18;

// SQL queries: rows as objects, or written in any format to a file or a sink. They run in a separate process under limits of
// memory and time.
import { createReadStream } from 'node:fs';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ZodType } from 'zod';
import { parseJson } from '../../../schemas/json-text.ts';
import type { Sink } from '../../base/sink.ts';
import { withWorkingFolder } from '../../base/temporary.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { AnswerCut } from '../../projections/query/errors.ts';
import type { Completion } from '../../projections/query/questions.ts';
import { BrokenTables } from '../../projections/warehouse/errors.ts';
import { noticeStanding } from '../opening/standing.ts';
import { OwnServer } from '../own-server.ts';
import type { Session } from '../session.ts';
import { give, intoFile } from '../transfer/into-file.ts';
import { defaultLimit } from './formats/write.ts';
import type { Layout, ProcessLimits, TablesFile } from './process/messages.ts';
import { QuestionProcess } from './process/question-process.ts';
import { type SqlOptions, type SqlRow, type SqlWriteOptions, UnexpectedRow } from './rows.ts';

const defaultLimits: ProcessLimits = { seconds: 60, memoryMegabytes: 1024, diskMegabytes: 4096 };

/** Runs one query at a time; the process and the ledger stay open for the next one. */
export class SqlClient {
  readonly #session: Session;
  readonly #limits: ProcessLimits;
  readonly #process: QuestionProcess;
  #opened: Promise<Ledger> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(session: Session, limits: ProcessLimits = defaultLimits, use: 'any format' | 'parquet' = 'any format') {
    this.#session = session;
    this.#limits = limits;
    this.#process = new QuestionProcess(limits, use);
  }

  /** Opens in advance what the first query needs: the process, in the background, and the ledger; a server has both. */
  async open(): Promise<void> {
    if (OwnServer.of(this.#session) !== null) return;
    this.#process.prepare();
    await this.#ledger();
  }

  async rows<Row = SqlRow>(
    sql: string,
    { schema }: SqlOptions<Row> = {},
    signal: AbortSignal = this.#session.signal,
  ): Promise<readonly Row[]> {
    const rows: Row[] = [];
    const lines = new Lines();
    const take = (line: string): void => void rows.push(rowOf(line, rows.length + 1, schema));
    await this.write(
      sql,
      inMemory(async (bytes) => lines.take(bytes, take)),
      { format: 'ndjson' },
      signal,
    );
    lines.end(take);
    return rows;
  }

  /** As a complete Arrow IPC stream. */
  async arrow(sql: string, signal: AbortSignal = this.#session.signal): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    // Copy: the process reuses its buffer after this call.
    const out = inMemory(async (bytes) => void pieces.push(Uint8Array.from(bytes)));
    await this.write(sql, out, { format: 'arrow' }, signal);
    return Buffer.concat(pieces);
  }

  /** The tables are released when the query ends, even if `out` keeps its data. Returns the number of rows. */
  async write(sql: string, out: Sink, options: SqlWriteOptions, signal = this.#session.signal): Promise<number> {
    if (options.format === 'parquet') {
      const folder = await mkdtemp(join(tmpdir(), 'icecore-'));
      try {
        const { whole, rows } = await this.#asParquet(sql, folder, options, signal);
        for await (const piece of createReadStream(whole)) await out.write(piece as Uint8Array);
        return rows;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }
    const served = await this.#served(sql, out, options, signal);
    if (served !== null) return await served(out);
    let hasBegun = false;
    const write: Sink['write'] = async (bytes) => {
      hasBegun = true;
      await out.write(bytes);
    };
    return await this.#asking(options, signal, async (tables, standing) => {
      try {
        return await this.#answer(
          sql,
          { isTTY: out.isTTY, columns: out.columns, write },
          { ...options, tables, standing, signal },
        );
      } catch (fault) {
        // Rows that were already passed on cannot be withdrawn, so the query is not retried for a row reader.
        throw fault instanceof BrokenTables && hasBegun ? new AnswerCut(fault) : fault;
      }
    });
  }

  /** Writes a file that appears when it is complete. Returns the number of rows. */
  async toFile(sql: string, file: string, options: SqlWriteOptions, signal = this.#session.signal): Promise<number> {
    const path = resolve(this.#session.cwd, file);
    if (options.format !== 'parquet') {
      const served = await this.#served(sql, toFile, options, signal);
      if (served !== null) return await intoFile(path, served);
      return await this.#asking(options, signal, (tables, standing) =>
        intoFile(path, (out) => this.#answer(sql, out, { ...options, tables, standing, signal })),
      );
    }
    await access(dirname(path));
    return await withWorkingFolder(dirname(path), async (folder) => {
      const { whole, rows } = await this.#asParquet(sql, folder, options, signal);
      await give(whole, path);
      return rows;
    });
  }

  /** Completions of a partial query. */
  async completions(text: string, signal = this.#session.signal): Promise<readonly Completion[]> {
    const { withTablesFile } = await import('../opening/tables.ts');
    return await withTablesFile(this.#session, await this.#ledger(), signal, (tables) =>
      this.#process.ask({ request: 'completions', tables, limits: this.#limits, text }, signal),
    );
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = null;
    await Promise.all([this.#process.close(), opened?.then((ledger) => ledger.close())]);
  }

  /** After a failure, the next call tries again. */
  #ledger(): Promise<Ledger> {
    this.#opened ??= this.#openLedger().catch((fault: unknown) => {
      this.#opened = null;
      throw fault;
    });
    return this.#opened;
  }

  /** Loads what opens ledgers, which an answer of a server does not need. */
  async #openLedger(): Promise<Ledger> {
    return await (await import('../opening/ledger.ts')).openToRead(this.#session);
  }

  async #asParquet(
    sql: string,
    folder: string,
    options: SqlWriteOptions,
    signal: AbortSignal,
  ): Promise<{ readonly whole: string; readonly rows: number }> {
    const path = join(folder, 'answer.parquet');
    const { limit = null } = options;
    const rows = await this.#asking(options, signal, (tables) =>
      this.#process.ask({ request: 'parquet', tables, limits: this.#limits, sql, path, limit }, signal),
    );
    return { whole: path, rows };
  }

  async #answer(
    sql: string,
    out: Sink,
    { format, limit, colours = false, more = '', tables, standing, signal }: Answering,
  ): Promise<number> {
    // Parquet is written without a layout.
    const written = format === 'parquet' ? 'ndjson' : format;
    const { isTTY, columns } = out;
    const most = limit === undefined ? defaultLimit(written) : limit;
    const layout = { isTTY, columns, colours, more, limit: most, asOf: new Date().toISOString(), ...standing };
    const request = { request: 'answer', tables, limits: this.#limits, sql, format: written, layout } as const;
    return (await this.#process.ask(request, signal, (bytes) => out.write(bytes))).rows;
  }

  /** Writes the answer of the server of this workspace; null if there is none that can answer. */
  async #served(
    sql: string,
    { isTTY, columns }: Pick<Sink, 'isTTY' | 'columns'>,
    { format, limit, colours = false, more = '', onStanding }: SqlWriteOptions,
    signal: AbortSignal,
  ): Promise<((out: Sink) => Promise<number>) | null> {
    if (format === 'parquet' || !isDeepStrictEqual(this.#limits, defaultLimits)) return null;
    const form = { format, limit: limit === undefined ? defaultLimit(format) : limit, isTTY, columns, colours, more };
    const answer = await OwnServer.of(this.#session)?.answer({ sql, ...form }, signal);
    if (answer == null) return null;
    if (answer.standing !== null) await onStanding?.(await noticeStanding(this.#session, answer.standing));
    if ('fault' in answer) throw answer.fault;
    return async (out) => {
      for (const piece of answer.bytes) await out.write(piece);
      return answer.rows;
    };
  }

  #asking<Result>(
    { onStanding }: Pick<SqlWriteOptions, 'onStanding'>,
    signal: AbortSignal,
    body: (tables: TablesFile, standing: Answering['standing']) => Promise<Result>,
  ): Promise<Result> {
    const session = this.#session;
    const asking = this.#last.then(async () => {
      const { withTablesFile } = await import('../opening/tables.ts');
      return await withTablesFile(session, await this.#ledger(), signal, async (tables, found) => {
        const standing = await noticeStanding(session, found);
        await onStanding?.(standing);
        const { behind, unknown } = standing;
        return await body(tables, { behind, unknown: unknown.reduce((sum, { events }) => sum + events, 0) });
      });
    });
    this.#last = asking.catch(() => undefined);
    return asking;
  }
}

/** Queries that run at the same time; each has a process. */
const mostAtOnce = 3;

/** Gives each query a client that is free, and lets further queries wait for the least busy one. */
export class SqlPool {
  readonly #session: Session;
  readonly #clients = new Map<SqlClient, number>();

  constructor(session: Session) {
    this.#session = session;
  }

  async with<Result>(body: (client: SqlClient) => Promise<Result>): Promise<Result> {
    const client = this.#leastBusy();
    this.#count(client, 1);
    try {
      return await body(client);
    } finally {
      this.#count(client, -1);
    }
  }

  async close(): Promise<void> {
    const clients = [...this.#clients.keys()];
    this.#clients.clear();
    await Promise.all(clients.map((client) => client.close()));
  }

  #leastBusy(): SqlClient {
    const [first] = [...this.#clients].sort(([, one], [, other]) => one - other);
    if (first !== undefined && (first[1] === 0 || this.#clients.size >= mostAtOnce)) return first[0];
    return new SqlClient(this.#session);
  }

  #count(client: SqlClient, change: number): void {
    this.#clients.set(client, (this.#clients.get(client) ?? 0) + change);
  }
}

interface Answering extends SqlWriteOptions {
  readonly tables: TablesFile;
  readonly standing: Pick<Layout, 'behind' | 'unknown'>;
  readonly signal: AbortSignal;
}

/** The form of text in files. */
const toFile = { isTTY: false, columns: 80 } as const;

function inMemory(take: (bytes: Uint8Array) => Promise<void>): Sink {
  return { isTTY: false, columns: 80, write: (bytes) => take(Buffer.from(bytes)) };
}

/** Splits chunks of bytes into lines. */
class Lines {
  readonly #decoder = new TextDecoder();
  #rest = '';

  take(bytes: Uint8Array, line: (text: string) => void): void {
    const [first = '', ...others] = this.#decoder.decode(bytes, { stream: true }).split('\n');
    this.#rest += first;
    for (const next of others) {
      line(this.#rest);
      this.#rest = next;
    }
  }

  end(line: (text: string) => void): void {
    if (this.#rest !== '') line(this.#rest);
  }
}

function rowOf<Row>(line: string, number: number, schema: ZodType<Row> | undefined): Row {
  const row = parseJson(line);
  if (schema === undefined) return row as Row;
  const read = schema.safeParse(row);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const [column = ''] = issue?.path ?? [];
  const value = column === '' ? row : (row as SqlRow)[String(column)];
  throw new UnexpectedRow(number, String(column), value, issue?.message ?? 'what the schema allows');
}

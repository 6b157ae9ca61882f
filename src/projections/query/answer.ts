// The rows of a question, as they come. Two things DuckDB does not do by itself: a query that fails after its first rows only
// ends, as if those were all, so it runs in a transaction that tells afterwards whether it failed; and a query that is not
// over keeps the file open even when everything is closed, so what is left of it is drained, and what failed is collected.
import type { DuckDBConnection, DuckDBDataChunk, DuckDBResult, DuckDBType } from '@duckdb/node-api';
import { chunksCollected, collected } from './collected.ts';
import { BrokenSql } from './errors.ts';
import type { Judged } from './judging.ts';
import { readied } from './readied.ts';
import type { Watch } from './watch.ts';

export interface Column {
  readonly name: string;
  readonly type: DuckDBType;
}

export interface Answer {
  readonly columns: readonly Column[];
  /** Once: streamed, in constant memory however many rows; ends the query when the consumer stops. */
  chunks(): AsyncIterable<DuckDBDataChunk>;
}

/** Chunks hold 2048 rows, mostly less than some ten kilobytes, at worst some megabytes. */
const chunksKept = 32;

export interface Parts {
  /** Its own; closed when the answer is over. */
  readonly connection: DuckDBConnection;
  readonly judged: Judged;
  readonly watch: Watch;
  readonly translate: (error: unknown) => Promise<unknown>;
  /** Called once, when nothing is left of an answer that was begun. */
  readonly ended: () => void;
}

export class RunningAnswer implements Answer {
  readonly columns: readonly Column[];
  readonly #connection: DuckDBConnection;
  readonly #judged: Judged;
  readonly #watch: Watch;
  /** Null when it failed: it is let go of by forgetting it. */
  #result: DuckDBResult | null;
  readonly #translate: (error: unknown) => Promise<unknown>;
  readonly #ended: () => void;
  #ending: Promise<void> | null = null;

  private constructor(parts: Parts, result: DuckDBResult) {
    this.#connection = parts.connection;
    this.#judged = parts.judged;
    this.#watch = parts.watch;
    this.#translate = parts.translate;
    this.#ended = parts.ended;
    this.#result = result;
    const types = result.columnTypes();
    this.columns = result.columnNames().flatMap((name, index) => {
      const type = types[index];
      return type === undefined ? [] : [{ name, type }];
    });
  }

  static async begin(parts: Parts): Promise<RunningAnswer> {
    try {
      return new RunningAnswer(parts, await parts.watch.during(() => start(parts)));
    } catch (error) {
      const told = await parts.translate(error);
      void parts.watch.quiet.then(() => parts.connection.closeSync());
      throw told;
    }
  }

  async *chunks(): AsyncGenerator<DuckDBDataChunk, void, undefined> {
    try {
      for (let taken = 1; this.#ending === null; taken++) {
        if (taken % chunksKept === 0) await chunksCollected();
        const chunk = await this.#watch.during(() => fetched(this.#result));
        if (chunk === null) return await this.#requireWhole();
        yield chunk;
      }
    } catch (error) {
      throw await this.#translate(error);
    } finally {
      await this.end();
    }
  }

  /** Any number of times; waits until the file is let go, unless the query cannot be stopped. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    if (this.#result === null) await collected();
    else await this.#watch.ending(() => drained(this.#result));
    void this.#watch.quiet.then(() => this.#connection.closeSync());
    this.#ended();
  }

  /** A failed query leaves its transaction aborted, but not what it said: that is learnt by letting it fail once more. */
  async #requireWhole(): Promise<void> {
    try {
      await this.#connection.run('SELECT 1');
    } catch {
      this.#result = null;
      await this.#connection.run('ROLLBACK');
      await this.#watch.during(() => failAgain(this.#connection, this.#judged));
      throw new BrokenSql('the query failed after its first rows, and DuckDB did not say why', null);
    }
  }
}

async function start({ connection, judged }: Parts): Promise<DuckDBResult> {
  await connection.run('BEGIN TRANSACTION READ ONLY');
  const prepared = await readied(connection, judged);
  try {
    return await prepared.stream();
  } finally {
    prepared.destroySync();
  }
}

async function failAgain(connection: DuckDBConnection, judged: Judged): Promise<void> {
  const sql = judged.isExplained ? judged.sql : `EXPLAIN ANALYZE ${judged.sql}`;
  const prepared = await readied(connection, { ...judged, sql, isExplained: true });
  try {
    await prepared.run();
  } finally {
    prepared.destroySync();
  }
}

async function drained(result: DuckDBResult | null): Promise<void> {
  while ((await fetched(result)) !== null);
}

async function fetched(result: DuckDBResult | null): Promise<DuckDBDataChunk | null> {
  const chunk = (await result?.fetchChunk()) ?? null;
  return chunk === null || chunk.rowCount === 0 ? null : chunk;
}

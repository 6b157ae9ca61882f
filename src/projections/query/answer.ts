// The rows of a question, as they come. Two things DuckDB does not do by itself: a query that fails after its first rows only
// ends, as if those were all, so it runs in a transaction that tells afterwards whether it failed; and a query that is not
// over keeps the file open even when everything is closed, so what is left of it is drained, and what failed is collected.
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  type DuckDBType,
  StatementType,
} from '@duckdb/node-api';
import { chunksCollected, collected } from './collected.ts';
import { BrokenSql, RefusedStatement } from './errors.ts';
import type { Judged } from './judging.ts';
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
      const again = this.#judged.isExplained ? this.#judged.sql : `EXPLAIN ANALYZE ${this.#judged.sql}`;
      await this.#watch.during(() => this.#connection.run(again));
      throw new BrokenSql('the query failed after its first rows, and DuckDB did not say why', null);
    }
  }
}

/** The parser has had its say; this is that DuckDB, which will carry it out, sees in it what the parser saw. */
async function start({ connection, judged }: Parts): Promise<DuckDBResult> {
  await connection.run('BEGIN TRANSACTION READ ONLY');
  const statements = await connection.extractStatements(judged.sql);
  if (statements.count !== 1) throw new RefusedStatement('more than one statement', null);
  const prepared = await statements.prepare(0);
  try {
    requireReading(prepared);
    return await prepared.stream();
  } finally {
    prepared.destroySync();
  }
}

function requireReading({ statementType }: DuckDBPreparedStatement): void {
  if (statementType === StatementType.SELECT || statementType === StatementType.EXPLAIN) return;
  throw new RefusedStatement(StatementType[statementType] ?? 'this statement', null);
}

async function drained(result: DuckDBResult | null): Promise<void> {
  while ((await fetched(result)) !== null);
}

async function fetched(result: DuckDBResult | null): Promise<DuckDBDataChunk | null> {
  const chunk = (await result?.fetchChunk()) ?? null;
  return chunk === null || chunk.rowCount === 0 ? null : chunk;
}

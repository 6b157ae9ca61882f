// Questions of people about the tables in one DuckDB file, answered as streams, any number one after another or at once.
//
// What keeps a question from doing anything else than read the tables is DuckDB: the file is opened read-only; external access,
// extensions and, once the file is open, its whole file system are switched off; then its settings are locked. The hostile
// tests show what that leaves open, and each of these is closed here by hand:
// - A text is cut at a NUL character, and what stands behind it is not seen: such a text is refused.
// - Splitting a text into statements already carries out some of them (PRAGMA, IMPORT): what does not begin as a question is
//   refused before that, with a word on what serves its purpose instead.
// - One text may hold several statements, of which the first ones would be carried out for nothing: there is to be one.
// - EXPLAIN ANALYZE carries out what it explains, which has to begin as a question, too.
// - The directory of secrets can be read from its setting, which is emptied: it names the home folder of the user.
// What settings, views of the system and functions tell beside that is about DuckDB itself and the path of the file. A function
// that sleeps, logs or profiles does so within the limits of its question, in an instance that ends with it; what it prints
// goes nowhere, as the process in which questions of people run has no standard output.
import { setImmediate as breath } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  type DuckDBType,
  StatementType,
} from '@duckdb/node-api';
import { isSeveral, questionWord, wordsOf } from '../../base/sql-lexer.ts';
import { BrokenTables, TablesOfOthers } from '../warehouse/errors.ts';
import { filledIn } from '../warehouse/filled.ts';
import { type Held, type HoldOptions, hold } from '../warehouse/holding.ts';
import { type Completion, completionsOf } from './completion.ts';
import { allowedStatements, BrokenSql, placeAt, QuestionCancelled, RefusedStatement } from './errors.ts';
import { openingFault, questionFault } from './faults.ts';
import { type OnUnstoppable, Watch } from './watch.ts';

export type { Completion } from './completion.ts';

/** What one question may take. */
export interface Limits {
  readonly memoryMegabytes: number;
  /** Of DuckDB's work on one question; the time its rows are looked at does not count. */
  readonly seconds: number;
}

export interface Column {
  readonly name: string;
  readonly type: DuckDBType;
}

export interface Answer {
  readonly columns: readonly Column[];
  /** Once: streamed, in constant memory however many rows; ends the query when the consumer stops. */
  chunks(): AsyncIterable<DuckDBDataChunk>;
}

export interface Questions {
  /** Exactly one question, else an IcecoreError a person can act on. */
  ask(sql: string, signal?: AbortSignal): Promise<Answer>;
  /** What the text could go on with. */
  complete(text: string): Promise<readonly Completion[]>;
  /** Ends what is still asked. When it resolves, nothing holds the file any more. */
  close(): Promise<void>;
}

interface QuestionOptions extends HoldOptions {
  /** How the tables have to be filled, as `filledBy` says it: several versions of icecore may work on them. */
  readonly filled?: string | undefined;
  /** Called where a question that was stopped goes on nevertheless: only killing the process ends it. */
  readonly onUnstoppable?: OnUnstoppable | undefined;
}

/** Throws BrokenTables, TablesBusy. */
export async function openQuestions(path: string, limits: Limits, options: QuestionOptions = {}): Promise<Questions> {
  const held = await openLocked(path, limits.memoryMegabytes, options);
  try {
    const names = await held.connect();
    const [tables] = (await names.runAndReadAll('SELECT count(*) FROM duckdb_tables()')).getRows()[0] ?? [];
    // Who opens a file for writing that has just been replaced makes an empty one in its place.
    if (Number(tables) === 0) throw new BrokenTables(path, 'there is nothing in it');
    const { filled } = options;
    if (filled !== undefined && (await filledIn(names)) !== filled) throw new TablesOfOthers(path);
    return new OpenQuestions(path, limits, held, names, options.onUnstoppable);
  } catch (error) {
    held.release();
    throw openingFault(error, path);
  }
}

/** In this order: each step takes away what the one before it still needed. External access being off is not enough: DuckDB
 * still lets a statement read and write the database's own file and log, and reading them would drop the locks of this
 * process. Nothing is spilled to disk, so that running out of memory is an error. */
const lock = [
  // Errors come as JSON: their kind and place need not be guessed from prose.
  'SET GLOBAL errors_as_json = true',
  "SET temp_directory = ''",
  "SET secret_directory = ''",
  'SET enable_external_access = false',
  "SET disabled_filesystems = 'LocalFileSystem'",
  'SET lock_configuration = true',
];

/** The file, for reading only; nothing else can be reached through it. */
export async function openLocked(path: string, memoryMegabytes: number, options: HoldOptions): Promise<Held> {
  const settings = {
    access_mode: 'READ_ONLY',
    memory_limit: `${memoryMegabytes}MiB`,
    allow_community_extensions: 'false',
    allow_unsigned_extensions: 'false',
  };
  const held = await hold(path, settings, options);
  try {
    const connection = await held.connect();
    for (const step of lock) await connection.run(step);
    return held;
  } catch (error) {
    held.release();
    throw error;
  }
}

class OpenQuestions implements Questions {
  readonly #path: string;
  readonly #limits: Limits;
  readonly #held: Held;
  /** For the parser, names and completion; no question runs on it. */
  readonly #names: DuckDBConnection;
  readonly #onUnstoppable: OnUnstoppable | undefined;
  readonly #closed = new AbortController();
  /** What is not yet an answer, and the answers that are not over. */
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #answers = new Set<RunningAnswer>();

  constructor(path: string, limits: Limits, held: Held, names: DuckDBConnection, onUnstoppable?: OnUnstoppable) {
    this.#onUnstoppable = onUnstoppable;
    this.#path = path;
    this.#limits = limits;
    this.#held = held;
    this.#names = names;
  }

  async ask(sql: string, signal?: AbortSignal): Promise<Answer> {
    const stopped = AbortSignal.any([this.#closed.signal, ...(signal === undefined ? [] : [signal])]);
    if (stopped.aborted) throw new QuestionCancelled();
    return await this.#untilDone(this.#begin(sql, stopped));
  }

  complete(text: string): Promise<readonly Completion[]> {
    return this.#untilDone(completionsOf(this.#names, text));
  }

  async close(): Promise<void> {
    this.#closed.abort();
    while (this.#underWay.size + this.#answers.size > 0) {
      await Promise.allSettled(this.#underWay);
      await Promise.all(Array.from(this.#answers, (answer) => answer.end()));
    }
    this.#held.release();
  }

  async #begin(sql: string, signal: AbortSignal): Promise<RunningAnswer> {
    await requireQuestion(this.#names, sql);
    const connection = await this.#held.instance.connect();
    const question = { sql, path: this.#path, memoryMegabytes: this.#limits.memoryMegabytes, names: this.#names };
    const answer = await RunningAnswer.begin({
      connection,
      sql,
      watch: new Watch(connection, this.#limits.seconds, signal, this.#onUnstoppable),
      translate: (error) => questionFault(error, question),
      ended: () => this.#answers.delete(answer),
    });
    this.#answers.add(answer);
    return answer;
  }

  /** Closing waits for it. */
  async #untilDone<Result>(work: Promise<Result>): Promise<Result> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }
}

/** How questions begin, and what stands for these words. */
const begins: ReadonlySet<string> = new Set([
  ...allowedStatements.split(', '),
  'DESC',
  'PIVOT_WIDER',
  'PIVOT_LONGER',
  '(',
]);

/** What serves the purpose of a statement that is refused. */
const insteadOf: ReadonlyMap<string, string> = new Map([
  ['COPY', 'To write an answer to a file: icecore sql "FROM rollouts" --output rollouts.parquet (or .csv, .json).'],
  ['CREATE', 'For a table within one question: WITH few AS (FROM rollouts LIMIT 10) SELECT * FROM few.'],
  ['PRAGMA', 'SHOW TABLES lists the tables, DESCRIBE rollouts the columns of one.'],
  ['SET', 'Limits are set from outside: icecore sql --memory 2048 --seconds 300.'],
]);

const oneAtATime = 'Ask one statement at a time.';

async function requireQuestion(connection: DuckDBConnection, sql: string): Promise<void> {
  if (sql.includes('\0')) throw new BrokenSql('the text holds a NUL character', null, 'Remove it.');
  const words = wordsOf(sql);
  const word = questionWord(words);
  if (word === null && (words.length === 0 || words.every(({ text }) => text === ';')))
    throw new BrokenSql('nothing is asked', null, 'Try: SELECT * FROM runs; or SHOW TABLES;');
  if (word === null || begins.has(word.text)) {
    if (isSeveral(words)) throw new RefusedStatement('more than one statement', null, oneAtATime);
    return;
  }
  // A misspelt word is told from another statement by the parser, which carries out nothing.
  const parsed = await connection.runAndReadAll(
    `SELECT p->>'error_message', p->>'position' FROM (SELECT json_serialize_sql($1::VARCHAR) AS p) WHERE p->>'error_type' = 'parser'`,
    [sql],
  );
  const [message, at] = parsed.getRows()[0] ?? [];
  if (message !== undefined) throw new BrokenSql(String(message), at === null ? null : placeAt(sql, Number(at)));
  if (isSeveral(words)) throw new RefusedStatement('more than one statement', null, oneAtATime);
  const place = placeAt(sql, Buffer.byteLength(sql.slice(0, word.from)));
  throw new RefusedStatement(word.text, place, insteadOf.get(word.text));
}

interface Parts {
  /** Its own; closed when the answer is over. */
  readonly connection: DuckDBConnection;
  readonly sql: string;
  readonly watch: Watch;
  readonly translate: (error: unknown) => Promise<unknown>;
  /** Called once, when nothing is left of an answer that was begun. */
  readonly ended: () => void;
}

const beginning = 'BEGIN TRANSACTION READ ONLY';

/** Chunks hold 2048 rows, mostly less than some ten kilobytes, at worst some megabytes. */
const chunksBetweenCollections = 16;

/** Two things DuckDB does not do by itself: a query that fails after its first rows only ends, as if those were all, so it runs
 * in a transaction that tells afterwards whether it failed; and a query that is not over keeps the file open even when
 * everything is closed, so what is left of it is drained, and what failed is collected. */
class RunningAnswer implements Answer {
  readonly columns: readonly Column[];
  readonly #parts: Parts;
  /** Null when it failed: it is let go of by forgetting it. */
  #result: DuckDBResult | null;
  #ending: Promise<void> | null = null;

  private constructor(parts: Parts, result: DuckDBResult) {
    this.#parts = parts;
    this.#result = result;
    const types = result.columnTypes();
    this.columns = result.columnNames().flatMap((name, index) => {
      const type = types[index];
      return type === undefined ? [] : [{ name, type }];
    });
  }

  static async begin(parts: Parts): Promise<RunningAnswer> {
    try {
      return new RunningAnswer(parts, await parts.watch.during(() => started(parts)));
    } catch (error) {
      const fault = await parts.translate(error);
      parts.connection.closeSync();
      throw fault;
    }
  }

  async *chunks(): AsyncGenerator<DuckDBDataChunk, void, undefined> {
    try {
      for (let taken = 1; this.#ending === null; taken++) {
        if (taken % chunksBetweenCollections === 0) await chunksCollected();
        const chunk = await this.#parts.watch.during(() => fetched(this.#result));
        if (chunk === null) return await this.#requireWhole();
        yield chunk;
      }
    } catch (error) {
      throw await this.#parts.translate(error);
    } finally {
      await this.end();
    }
  }

  /** Any number of times; waits until the file is let go. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    const { watch, connection, ended } = this.#parts;
    if (this.#result === null) await resultsCollected();
    else await watch.ending(() => drained(this.#result));
    connection.closeSync();
    ended();
  }

  /** A failed query leaves its transaction aborted, but not what it said: that is learnt by letting it fail once more. */
  async #requireWhole(): Promise<void> {
    const { connection, sql, watch } = this.#parts;
    try {
      await connection.run('SELECT 1');
    } catch {
      this.#result = null;
      await connection.run('ROLLBACK');
      await connection.run(beginning);
      await watch.during(async () => {
        const prepared = await prepareQuestion(connection, withoutRows(sql));
        await prepared.run().finally(() => prepared.destroySync());
      });
      throw new BrokenSql('the query failed after its first rows, and DuckDB did not say why', null);
    }
  }
}

async function started({ connection, sql }: Parts): Promise<DuckDBResult> {
  await connection.run(beginning);
  const prepared = await prepareQuestion(connection, sql);
  try {
    return await prepared.stream();
  } finally {
    prepared.destroySync();
  }
}

/** Carries out all of a question and hands out nothing of it. */
function withoutRows(sql: string): string {
  const begin = wordsOf(sql).find(({ text }) => text !== ';');
  return begin?.text === 'EXPLAIN' ? sql : `EXPLAIN ANALYZE ${sql.slice(begin?.from)}`;
}

/** To be destroyed by whoever gets it. A pivot that does not name its columns is several statements to DuckDB: it makes a
 * type of the values first, which is temporary, and an EXPLAIN of it stands between two changes of a setting, which are not
 * needed. */
async function prepareQuestion(connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> {
  const statements = await connection.extractStatements(sql);
  const pivots = statements.count > 1;
  for (let index = 0; index < statements.count; index++) {
    const prepared = await statements.prepare(index);
    const { statementType: type } = prepared;
    if (type === StatementType.SELECT || type === StatementType.EXPLAIN) return prepared;
    if (pivots && type === StatementType.CREATE) await prepared.run();
    prepared.destroySync();
    if (!pivots || (type !== StatementType.CREATE && type !== StatementType.SET))
      throw new RefusedStatement(StatementType[type] ?? 'this statement', null);
  }
  throw new RefusedStatement('this statement', null);
}

async function drained(result: DuckDBResult | null): Promise<void> {
  while ((await fetched(result)) !== null);
}

async function fetched(result: DuckDBResult | null): Promise<DuckDBDataChunk | null> {
  const chunk = (await result?.fetchChunk()) ?? null;
  return chunk === null || chunk.rowCount === 0 ? null : chunk;
}

// What DuckDB hands out is freed when it is collected as garbage, and in no other way; but the collector sees only small
// objects and none of the memory behind them, so it would come much too late. Here it is called.

type Collect = (options?: { readonly type: 'minor' }) => void;

let collector: Collect | null = null;

function collect(...options: Parameters<Collect>): void {
  if (collector === null) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as Collect;
  }
  collector(...options);
}

/** What was forgotten before is gone when it resolves; takes a moment. A result that failed after its first rows keeps its
 * file open until then. */
async function resultsCollected(): Promise<void> {
  await breath();
  collect();
  await breath();
}

/** Frees chunks that nobody looks at any more, in well under a millisecond each time. */
async function chunksCollected(): Promise<void> {
  collect({ type: 'minor' });
  await breath();
}

// User queries on the tables in one DuckDB file, with streamed results; any number of them, sequentially or
// concurrently.
//
// DuckDB itself ensures that a query can only read the tables: the file is opened read-only; external access,
// extensions and, once the file is open, the whole file system are disabled; then the settings are locked. The hostile
// tests show the remaining gaps, each of which is closed here:
// - A text is truncated at a NUL character, which would hide the rest: such a text is refused.
// - Splitting a text into statements already executes some of them (PRAGMA, IMPORT): a text that does not start like a
//   query is refused before that, with a suggestion.
// - A text may contain several statements, of which the first ones would be executed without a result: only one is
//   allowed.
// - EXPLAIN ANALYZE executes what it explains, which must start like a query too.
// - The setting for the secret directory would reveal the user's home directory, so it is cleared. The other settings,
//   system views and functions only reveal facts about DuckDB itself and the path of the file. A function that sleeps,
//   logs or profiles does so within the limits of its query, in an instance that ends with it; its output is discarded,
//   because the process for user queries has no standard output.
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
import type { Remedies } from '../../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';
import { isSeveral, questionWord, wordsOf } from '../../base/sql-lexer.ts';
import { BrokenTables, TablesOfOthers } from '../warehouse/errors.ts';
import { filledIn } from '../warehouse/filled.ts';
import { type Held, type HoldOptions, hold, inUtc } from '../warehouse/holding.ts';
import { type Completion, completionsOf } from './completion.ts';
import { allowedStatements, BrokenSql, placeAt, QuestionCancelled, RefusedStatement } from './errors.ts';
import { openingFault, questionFault } from './faults.ts';
import { type OnUnstoppable, Watch } from './watch.ts';

export type { Completion } from './completion.ts';

/** The limits of one query. */
export interface Limits {
  readonly memoryMegabytes: number;
  /** DuckDB's execution time of a query, without the time in which its rows are processed. */
  readonly seconds: number;
}

export interface Column {
  readonly name: string;
  readonly type: DuckDBType;
}

export interface Answer {
  readonly columns: readonly Column[];
  /** Usable once: streams with constant memory; ends the query when the consumer stops. */
  chunks(): AsyncIterable<DuckDBDataChunk>;
}

export interface Questions {
  /** Runs exactly one query, otherwise throws an IcecoreError with a remedy. */
  ask(sql: string, signal?: AbortSignal): Promise<Answer>;
  /** Completions for the text. */
  complete(text: string): Promise<readonly Completion[]>;
  /** Ends running queries. When it resolves, the file is released. */
  close(): Promise<void>;
}

interface QuestionOptions extends HoldOptions {
  /** The expected definitions, as computed by `filledBy`: several versions of icecore may use the same tables. */
  readonly filled?: string | undefined;
  /** Called if a stopped query continues: then only killing the process ends it. */
  readonly onUnstoppable?: OnUnstoppable | undefined;
}

/** Throws BrokenTables, TablesBusy. */
export async function openQuestions(path: string, limits: Limits, options: QuestionOptions = {}): Promise<Questions> {
  const held = await openLocked(path, limits.memoryMegabytes, options);
  try {
    const names = await held.connect();
    const [tables] = (await names.runAndReadAll('SELECT count(*) FROM duckdb_tables()')).getRows()[0] ?? [];
    // If a process opens a file for writing right after it was replaced, an empty file appears in its place.
    if (Number(tables) === 0) throw new BrokenTables(path, 'it is empty');
    const { filled } = options;
    if (filled !== undefined && (await filledIn(names)) !== filled) throw new TablesOfOthers(path);
    return new OpenQuestions(path, limits, held, names, options.onUnstoppable);
  } catch (error) {
    held.release();
    throw openingFault(error, path);
  }
}

/** The order matters: each step removes what the previous one needed. Disabling external access is not enough: DuckDB
 * still lets a statement read and write the database's own file and log, and reading them would drop the locks of this
 * process. Nothing is spilled to disk, so running out of memory is an error. */
const lock = [
  inUtc,
  // Errors come as JSON: their kind and place need not be guessed from prose.
  'SET GLOBAL errors_as_json = true',
  "SET temp_directory = ''",
  "SET secret_directory = ''",
  'SET enable_external_access = false',
  "SET disabled_filesystems = 'LocalFileSystem'",
  'SET lock_configuration = true',
];

/** The file, read-only; nothing else can be reached through it. */
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
  /** For parsing, names and completion; no query runs on it. */
  readonly #names: DuckDBConnection;
  readonly #onUnstoppable: OnUnstoppable | undefined;
  readonly #closed = new AbortController();
  /** Queries without a result yet, and unfinished results. */
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

/** The keywords that may start a query, and their equivalents. */
const begins: ReadonlySet<string> = new Set([
  ...allowedStatements.split(', '),
  'DESC',
  'PIVOT_WIDER',
  'PIVOT_LONGER',
  '(',
]);

/** Suggestions for refused statements. */
const insteadOf: ReadonlyMap<string, Remedies> = new Map([
  [
    'COPY',
    {
      remedy: 'Write the answer of a query to a file where it arrives.',
      commandRemedy:
        'To write an answer to a file: icecore sql "FROM rollouts" --output rollouts.parquet (or .csv, .json).',
    },
  ],
  ['CREATE', { remedy: 'For a table within one query: WITH few AS (FROM rollouts LIMIT 10) SELECT * FROM few.' }],
  ['PRAGMA', { remedy: 'SHOW TABLES lists the tables, DESCRIBE rollouts the columns of one.' }],
  [
    'SET',
    {
      remedy: 'The settings of DuckDB are fixed here.',
      commandRemedy: 'Set limits with options: icecore sql --memory 2048 --seconds 300.',
    },
  ],
]);

const oneAtATime: Remedies = { remedy: 'Use one statement at a time.' };

async function requireQuestion(connection: DuckDBConnection, sql: string): Promise<void> {
  if (sql.includes('\0')) throw new BrokenSql('the text contains a NUL character', null, { remedy: 'Remove it.' });
  const words = wordsOf(sql);
  const word = questionWord(words);
  if (word === null && (words.length === 0 || words.every(({ text }) => text === ';')))
    throw new BrokenSql('the query is empty', null, {
      remedy: 'Try: SELECT * FROM runs; or SHOW TABLES;',
    });
  if (word === null || begins.has(word.text)) {
    if (isSeveral(words)) throw new RefusedStatement('more than one statement', null, oneAtATime);
    return;
  }
  // The parser distinguishes a misspelt word from another statement, without executing anything.
  const parsed = await connection.runAndReadAll(
    `SELECT p->>'error_message', p->>'position' FROM (SELECT json_serialize_sql($1::VARCHAR) AS p) WHERE p->>'error_type' = 'parser'`,
    [sql],
  );
  const [message, at] = parsed.getRows()[0] ?? [];
  if (message !== undefined) {
    const remedy = didYouMean(nearestNames(word.text, begins), '');
    throw new BrokenSql(String(message), at === null ? null : placeAt(sql, Number(at)), { remedy });
  }
  if (isSeveral(words)) throw new RefusedStatement('more than one statement', null, oneAtATime);
  const place = placeAt(sql, Buffer.byteLength(sql.slice(0, word.from)));
  throw new RefusedStatement(word.text, place, insteadOf.get(word.text));
}

interface Parts {
  /** Private to this result; closed at its end. */
  readonly connection: DuckDBConnection;
  readonly sql: string;
  readonly watch: Watch;
  readonly translate: (error: unknown) => Promise<unknown>;
  /** Called once, when nothing is left of a started result. */
  readonly ended: () => void;
}

const beginning = 'BEGIN TRANSACTION READ ONLY';

/** A chunk has 2048 rows, usually less than some ten kilobytes, at worst some megabytes. */
const chunksBetweenCollections = 16;

/**
 * Works around two properties of DuckDB: a query that fails after its first rows just ends as if those were all, so it
 * runs in a transaction that reveals the failure afterwards; and an unfinished query keeps the file open even after
 * everything is closed, so its rest is drained, and a failed result is garbage-collected.
 */
class RunningAnswer implements Answer {
  readonly columns: readonly Column[];
  readonly #parts: Parts;
  /** Null after a failure: it is released by dropping the reference. */
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

  /** Idempotent; waits until the file is released. */
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

  /** A failed query leaves its transaction aborted, but without the message: running another statement reveals it. */
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

/** Executes a query without returning its rows. */
function withoutRows(sql: string): string {
  const begin = wordsOf(sql).find(({ text }) => text !== ';');
  return begin?.text === 'EXPLAIN' ? sql : `EXPLAIN ANALYZE ${sql.slice(begin?.from)}`;
}

/**
 * The caller destroys it. DuckDB splits a pivot without named columns into several statements: it creates a temporary
 * type of the values first, and an EXPLAIN of it comes between two changes of a setting, which are not needed.
 */
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

// DuckDB's results are freed only by garbage collection, which sees only small objects and none of the memory behind
// them, so it would run much too late. Therefore it is triggered here.

type Collect = (options?: { readonly type: 'minor' }) => void;

let collector: Collect | null = null;

function collect(...options: Parameters<Collect>): void {
  if (collector === null) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as Collect;
  }
  collector(...options);
}

/**
 * When it resolves, dropped results are freed, which takes a moment. A result that failed after its first rows keeps
 * its file open until then.
 */
async function resultsCollected(): Promise<void> {
  await breath();
  collect();
  await breath();
}

/** Frees dropped chunks, in well under a millisecond each time. */
async function chunksCollected(): Promise<void> {
  collect({ type: 'minor' });
  await breath();
}

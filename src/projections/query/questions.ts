// Questions of people about the tables in one DuckDB file: opened read-only and locked down, within limits of memory and
// time, any number one after another or at once. Whoever asks gets an answer that streams, or an error to act on.
import type { DuckDBConnection } from '@duckdb/node-api';
import { filledIn } from '../projector/layout.ts';
import { BrokenTables, TablesOfOthers } from '../warehouse/errors.ts';
import type { Held, HoldOptions } from '../warehouse/holding.ts';
import { type Answer, RunningAnswer } from './answer.ts';
import { type Catalogue, readCatalogue } from './catalogue.ts';
import { type Completion, completionsOf } from './completion.ts';
import { QuestionCancelled } from './errors.ts';
import { opening, translated } from './faults.ts';
import { type Judged, judge } from './judging.ts';
import type { Limits } from './limits.ts';
import { openLocked, type TablesFile } from './open.ts';
import { writeAsParquet } from './parquet.ts';
import { Watch } from './watch.ts';

export type { Answer, Column } from './answer.ts';
export type { Completion } from './completion.ts';
export type { Limits } from './limits.ts';

export interface ParquetOptions {
  readonly signal?: AbortSignal;
  /** Rows at most; null: all there are. */
  readonly limit?: number | null;
}

export interface Questions {
  /** Exactly one allowed statement, else an IcecoreError a person can act on. */
  ask(sql: string, signal?: AbortSignal): Promise<Answer>;
  /** What the text could go on with. */
  complete(text: string): Promise<readonly Completion[]>;
  /** The number of rows written. The file gets its name when it is whole; one that is there is replaced. */
  writeParquet(sql: string, path: string, options?: ParquetOptions): Promise<number>;
  /** Ends what is still asked. When it resolves, nothing holds the file any more. */
  close(): Promise<void>;
}

/** Throws BrokenTables, TablesBusy. */
export async function openQuestions(
  path: string,
  limits: Limits,
  options: HoldOptions & Pick<TablesFile, 'filled'> = {},
): Promise<Questions> {
  return await questionsIn(await openLocked(path, limits.memoryMegabytes, options), path, limits, options.filled);
}

/** About what is held and locked down; `path` is for messages. */
async function questionsIn(held: Held, path: string, limits: Limits, filled?: string): Promise<Questions> {
  try {
    const names = await held.instance.connect();
    const catalogue = await readCatalogue(names);
    // Who opens a file for writing that has just been replaced makes an empty one in its place.
    if (catalogue.tables.size === 0) throw new BrokenTables(path, 'there is nothing in it');
    if (filled !== undefined && (await filledIn(names)) !== filled) throw new TablesOfOthers(path);
    return new OpenQuestions(path, limits, held, names, catalogue);
  } catch (error) {
    held.release();
    throw opening(error, path);
  }
}

class OpenQuestions implements Questions {
  readonly #path: string;
  readonly #limits: Limits;
  readonly #held: Held;
  /** For the parser, names and completion; no question runs on it. */
  readonly #names: DuckDBConnection;
  readonly #catalogue: Catalogue;
  readonly #closed = new AbortController();
  /** What is not yet an answer, and the answers that are not over. */
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #answers = new Set<RunningAnswer>();

  constructor(path: string, limits: Limits, held: Held, names: DuckDBConnection, catalogue: Catalogue) {
    this.#path = path;
    this.#limits = limits;
    this.#held = held;
    this.#names = names;
    this.#catalogue = catalogue;
  }

  ask(sql: string, signal?: AbortSignal): Promise<Answer> {
    return this.#ask(sql, this.#stoppedBy(signal));
  }

  complete(text: string): Promise<readonly Completion[]> {
    return this.#kept(completionsOf(this.#names, text));
  }

  async writeParquet(sql: string, path: string, { signal, limit = null }: ParquetOptions = {}): Promise<number> {
    const stopped = this.#stoppedBy(signal);
    const answer = await this.#ask(sql, stopped);
    try {
      return await writeAsParquet(answer, { ...this.#limits, path, limit, signal: stopped });
    } finally {
      await answer.end();
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    while (this.#underWay.size + this.#answers.size > 0) {
      await Promise.allSettled(this.#underWay);
      await Promise.all(Array.from(this.#answers, (answer) => answer.end()));
    }
    this.#names.closeSync();
    this.#held.release();
  }

  async #ask(sql: string, signal: AbortSignal): Promise<RunningAnswer> {
    if (signal.aborted) throw new QuestionCancelled(true);
    return this.#kept(this.#begin(sql, signal));
  }

  async #begin(sql: string, signal: AbortSignal): Promise<RunningAnswer> {
    const judged = await judge(this.#names, this.#catalogue, sql);
    const connection = await this.#held.instance.connect();
    const answer = await RunningAnswer.begin({
      connection,
      judged,
      watch: new Watch(connection, this.#limits.seconds, signal),
      translate: (error) => this.#translate(error, judged),
      ended: () => this.#answers.delete(answer),
    });
    this.#answers.add(answer);
    return answer;
  }

  /** Closing waits for it. */
  async #kept<Result>(work: Promise<Result>): Promise<Result> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  #stoppedBy(signal: AbortSignal | undefined): AbortSignal {
    return AbortSignal.any([this.#closed.signal, ...(signal === undefined ? [] : [signal])]);
  }

  #translate(error: unknown, judged: Judged): Promise<unknown> {
    const { memoryMegabytes } = this.#limits;
    return translated(error, judged, { path: this.#path, memoryMegabytes, names: this.#names });
  }
}

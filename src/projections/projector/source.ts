// The source of a file of tables: a ledger, or the beginning of one.
import { setImmediate } from 'node:timers/promises';
import { BadCursor } from '../../ledger/errors.ts';
import type { Cursor } from '../../ledger/event.ts';
import type { Ledger, ReadAllOptions } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { Position } from './layout.ts';

export interface Source {
  /** The ledger's id: tables belong to a single ledger. */
  readonly id: string;
  /** Reads a decision stream. */
  read: Ledger['read'];
  readAll(options: Pick<ReadAllOptions, 'after' | 'until' | 'types' | 'limit'>): AsyncIterable<readonly StoredEvent[]>;
}

/** The maximum number of characters to read ahead and keep in memory. */
const mostAhead = 16_000_000;

/**
 * A source that reads the events after a cursor while DuckDB opens the file of tables, which most likely ends there.
 * Reading from another position works as usual.
 */
export class ReadAhead implements Source {
  readonly id: string;
  readonly #source: Source;
  readonly #after: Cursor;
  readonly #pages: AsyncIterator<readonly StoredEvent[]>;
  readonly #read: (readonly StoredEvent[])[] = [];
  /** False after an error, which the regular read will hit again. */
  readonly #isRead: Promise<boolean>;
  /** Whether the result has been taken or discarded. */
  #isClaimed = false;

  constructor(source: Source, after: Cursor) {
    this.id = source.id;
    this.#source = source;
    this.#after = after;
    this.#pages = source.readAll({ after })[Symbol.asyncIterator]();
    this.#isRead = this.#begin().catch(() => false);
  }

  read(...of: Parameters<Source['read']>): ReturnType<Source['read']> {
    return this.#source.read(...of);
  }

  async *readAll(options: Parameters<Source['readAll']>[0]): AsyncGenerator<readonly StoredEvent[]> {
    const isFromHere = !this.#isClaimed && options.after === this.#after && Object.keys(options).length === 1;
    if (isFromHere) this.#isClaimed = true;
    if (!isFromHere || !(await this.#isRead)) return yield* this.#source.readAll(options);
    try {
      for (let page = this.#read.shift(); page !== undefined; page = this.#read.shift()) yield page;
      yield* { [Symbol.asyncIterator]: () => this.#pages };
    } finally {
      await this.#pages.return?.();
    }
  }

  /** Stops unused reading after its current page. */
  stop(): void {
    if (this.#isClaimed) return;
    this.#isClaimed = true;
    void this.#isRead.then(() => this.#pages.return?.()).catch(() => undefined);
  }

  async #begin(): Promise<true> {
    for (let characters = 0; !this.#isClaimed && characters < mostAhead; ) {
      const page = await this.#pages.next();
      if (page.done === true) return true;
      this.#read.push(page.value);
      for (const { body } of page.value) characters += body.length;
      // Lets DuckDB's callbacks run.
      await setImmediate();
    }
    return true;
  }
}

/**
 * A ledger restored from a backup may have other events now: the last event in the tables must still be at its
 * position.
 */
export async function isOfHistory(source: Source, { cursor, before, digest }: Position): Promise<boolean> {
  try {
    const span = before === null ? {} : { after: before };
    for await (const [event] of source.readAll({ ...span, until: cursor, limit: 1 }))
      return event?.digest === digest && event.cursor === cursor;
  } catch (error) {
    if (!(error instanceof BadCursor)) throw error;
  }
  return false;
}

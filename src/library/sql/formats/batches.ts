// Converts the rows of an answer to text in batches. Rows go into a table of a scratch instance, whose columns have the types that
// the format needs, and a query over some of them at a time produces the text.
import { setTimeout as after } from 'node:timers/promises';
import {
  DuckDBBlobValue,
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBPreparedStatement,
} from '@duckdb/node-api';
import type { Sink } from '../../../base/sink.ts';
import type { Paint } from '../../../base/terminal.ts';
import type { Answer } from '../../../projections/query/questions.ts';
import { openScratch, ScratchTable, scratchFault } from '../../../projections/query/scratch.ts';

/** How to write an answer. */
export interface Options {
  readonly out: Sink;
  /** Colours of tables. */
  readonly paint: Paint;
  /** Maximum number of rows; null: all. */
  readonly limit: number | null;
  /** The time of the answer, for the JSON form. */
  readonly asOf: string;
  /** The number of events that the tables lack, for the JSON form. */
  readonly behind: number;
  /** The number of events in the tables with unknown types or versions. */
  readonly unknown: number;
  /** How a user gets the rows that a table leaves out. */
  readonly more: string;
  /** Memory limit for the current batch. */
  readonly memoryMegabytes?: number;
}

export interface Written {
  readonly rows: number;
  /** There are more rows than were written. */
  readonly truncated: boolean;
}

const defaultMegabytes = 1024;

/** The approximate size of a text; the number of rows follows from earlier rows. */
const textBytes = 2 ** 19;
const maxRows = 65_536;

/** Rows that are available are written even if the next ones take longer. */
const patienceMs = 50;

/** Columns of the scratch table are named by position. */
export const cellName = (index: number): string => `c${index}`;

/** Passes on the bytes that `sql`, an aggregate over the rows, produces for some rows at a time. */
export async function eachText(
  answer: Answer,
  { limit, memoryMegabytes = defaultMegabytes }: Pick<Options, 'limit' | 'memoryMegabytes'>,
  types: readonly string[],
  sql: string,
  take: (bytes: Uint8Array) => Promise<void> | void,
): Promise<Written> {
  let rowsAtOnce = 64;
  return await eachBatch(answer, { limit, memoryMegabytes }, types, {
    isFull: (rows) => rows >= rowsAtOnce,
    take: async (connection, rows) => {
      const prepared = await connection.prepare(`SELECT encode(${sql}) FROM (FROM rows LIMIT $1 OFFSET $2)`);
      for (let from = 0; from < rows; ) {
        const bytes = await bytesOf(prepared, rowsAtOnce, from);
        const count = Math.min(rowsAtOnce, rows - from);
        from += count;
        rowsAtOnce = Math.max(1, Math.min(maxRows, Math.floor((count * textBytes) / Math.max(1, bytes.length))));
        await take(bytes);
      }
      prepared.destroySync();
    },
  });
}

async function bytesOf(prepared: DuckDBPreparedStatement, rows: number, from: number): Promise<Uint8Array> {
  prepared.bindBigInt(1, BigInt(rows));
  prepared.bindBigInt(2, BigInt(from));
  const chunk = await (await prepared.run()).fetchChunk();
  const value = chunk?.getColumnVector(0).getItem(0);
  return value instanceof DuckDBBlobValue ? value.bytes : new Uint8Array(0);
}

/** Passes on chunks with at most the requested number of rows; null: all. */
export async function eachChunk(
  answer: Answer,
  limit: number | null,
  take: (chunk: DuckDBDataChunk) => Promise<void>,
): Promise<Written> {
  let rows = 0;
  for await (const chunk of answer.chunks()) {
    const count = limit === null ? chunk.rowCount : Math.min(chunk.rowCount, limit - rows);
    const truncated = count < chunk.rowCount;
    chunk.rowCount = count;
    if (count > 0) await take(chunk);
    rows += count;
    if (truncated) return { rows, truncated };
  }
  return { rows, truncated: false };
}

interface Batches {
  /** Whether this number of rows fills a batch. */
  isFull(rows: number): boolean;
  take(connection: DuckDBConnection, rows: number): Promise<void>;
}

/** Calls the body with some of the answer's rows in table `rows`, in order, until all requested rows were passed on. A slow
 * reader slows the query. */
export async function eachBatch(
  answer: Answer,
  { limit, memoryMegabytes = defaultMegabytes }: Pick<Options, 'limit' | 'memoryMegabytes'>,
  types: readonly string[],
  { isFull, take }: Batches,
): Promise<Written> {
  const chunks = answer.chunks()[Symbol.asyncIterator]();
  const scratch = { memoryMegabytes, threads: 1 };
  const instance = await openScratch(scratch);
  try {
    const table = await ScratchTable.make(
      instance,
      types.map((type, i) => ({ name: cellName(i), type })),
    );
    let [rows, held, truncated] = [0, 0, false];
    for (;;) {
      const next = chunks.next();
      const isLate = held > 0 && (isFull(held) || (await isLateFor(next)));
      if (isLate) {
        table.flush();
        await take(table.connection, held);
        await table.clear();
        held = 0;
      }
      const { value: chunk } = await next;
      if (chunk === undefined) break;
      const count = limit === null ? chunk.rowCount : Math.min(chunk.rowCount, limit - rows);
      truncated = count < chunk.rowCount;
      chunk.rowCount = count;
      if (count > 0) await table.append(chunk);
      rows += count;
      held += count;
      if (truncated) break;
    }
    table.flush();
    if (held > 0) await take(table.connection, held);
    return { rows, truncated };
  } catch (error) {
    throw scratchFault(error, scratch);
  } finally {
    await chunks.return?.();
    instance.closeSync();
  }
}

async function isLateFor(next: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  next.catch(() => undefined);
  const late = after(patienceMs, true, { signal: timer.signal }).catch(() => false);
  const isLate = await Promise.race([
    next.then(
      () => false,
      () => false,
    ),
    late,
  ]);
  timer.abort();
  return isLate;
}

/** The maximum size of a piece of bytes. */
export const pieceBytes = 2 ** 16;

/** Splits between characters. */
export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0, to = 0; from < bytes.length; from = to) {
    const most = from + pieceBytes;
    to = Math.min(most, bytes.length);
    while (to < bytes.length && to > most - 4 && ((bytes[to] ?? 0) & 0xc0) === 0x80) to--;
    yield bytes.subarray(from, to);
  }
}

/** The same as texts. */
export function* textsOf(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (const piece of piecesOf(bytes)) yield decoder.decode(piece, { stream: true });
}

// The rows of an answer on their way into a format: DuckDB makes the texts, of a batch of rows at a time. Rows are put into a
// table of a scratch instance, whose columns have the types that the format needs, and a query over some of them at a time gives
// the text of those rows.
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

/** How an answer is to be written. */
export interface Options {
  readonly out: Sink;
  /** Colours of tables. */
  readonly paint: Paint;
  /** Rows at most; null: all there are. */
  readonly limit: number | null;
  /** When the answer was as it is, for the JSON form. */
  readonly asOf: string;
  /** How many events the tables lacked of those there were, for the JSON form. */
  readonly behind: number;
  /** How many events the tables hold that are of types or versions that are not known. */
  readonly unknown: number;
  /** How a person gets the rows that a table leaves out. */
  readonly more: string;
  /** Of the batch that is being written. */
  readonly memoryMegabytes?: number;
}

export interface Written {
  readonly rows: number;
  /** There are more than were written. */
  readonly truncated: boolean;
}

const usualMegabytes = 1024;

/** A text of so many bytes is made at a time; of how many rows it is, the rows before show. */
const textBytes = 2 ** 19;
const mostRows = 65_536;

/** Rows that are there are written, also where the next ones take long. */
const patienceMs = 50;

/** Columns of the scratch table are called by their places. */
export const cellName = (index: number): string => `c${index}`;

/** Hands over the bytes that `sql`, an aggregate over the rows, makes of some rows at a time. */
export async function eachText(
  answer: Answer,
  { limit, memoryMegabytes = usualMegabytes }: Pick<Options, 'limit' | 'memoryMegabytes'>,
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
        rowsAtOnce = Math.max(1, Math.min(mostRows, Math.floor((count * textBytes) / Math.max(1, bytes.length))));
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

/** Hands over chunks with no more rows than are asked for; null asks for all. */
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
  /** Whether so many rows are worth a batch. */
  isFull(rows: number): boolean;
  take(connection: DuckDBConnection, rows: number): Promise<void>;
}

/** Hands over table `rows` with some of the answer's rows in it, in their order, until it has handed over all that are asked
 * for. A slow reader slows the query. */
export async function eachBatch(
  answer: Answer,
  { limit, memoryMegabytes = usualMegabytes }: Pick<Options, 'limit' | 'memoryMegabytes'>,
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

/** Bytes are handed over in pieces of so many at most. */
export const pieceBytes = 2 ** 16;

/** No character is cut in two. */
export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0, to = 0; from < bytes.length; from = to) {
    const most = from + pieceBytes;
    to = Math.min(most, bytes.length);
    while (to < bytes.length && to > most - 4 && ((bytes[to] ?? 0) & 0xc0) === 0x80) to--;
    yield bytes.subarray(from, to);
  }
}

/** The same as texts, which end between characters. */
export function* textsOf(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (const piece of piecesOf(bytes)) yield decoder.decode(piece, { stream: true });
}

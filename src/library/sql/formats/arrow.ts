// An Arrow IPC stream in record batches, so that memory does not depend on the number of rows.
import { type DuckDBConnection, type DuckDBDataChunk, DuckDBTypeId } from '@duckdb/node-api';
import * as arrow from 'apache-arrow';
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { Sink } from '../../../base/sink.ts';
import type { Answer } from '../../../projections/query/questions.ts';
import { apart } from '../../../projections/query/scratch.ts';
import {
  type ArrowColumn,
  arrowColumn,
  arrowLeaf,
  decimalDigits,
  isKept,
  isTagged,
  type Rows,
  TooLong,
  vectorOf,
} from './arrow-columns.ts';
import { cellName, eachBatch, eachChunk, type Options, type Written } from './batches.ts';
import { jsonOf, scratchType } from './json.ts';

export class BytesOnTerminal extends IcecoreError {
  constructor() {
    super('usage', 'Arrow is a binary format, which a terminal cannot show', {
      remedy: 'Redirect it to a file or a program: icecore sql --format arrow "..." > answer.arrows',
    });
  }
}

class TooWideForArrow extends IcecoreError {
  override readonly name = 'TooWideForArrow';

  constructor(value: string) {
    super('usage', `${value} has more than the 38 digits of an Arrow decimal`, {
      facts: { value },
      remedy: 'Cast it, as in x::DOUBLE or x::VARCHAR, or choose another format.',
    });
  }
}

const batchRows = 16_384;

export async function writeArrow(answer: Answer, options: Options): Promise<Written> {
  const { out } = options;
  if (out.isTTY) throw new BytesOnTerminal();
  const names = apart(answer.columns.map(({ name }) => name));
  const columns = answer.columns.map(({ type }) => arrowColumn(type));
  const schema = new arrow.Schema(columns.map(({ type }, i) => new arrow.Field(names[i] ?? '', type, true)));
  const row = new arrow.Struct(schema.fields);
  const pieces = new Pieces();
  const writer = new arrow.RecordBatchStreamWriter();
  writer.reset(pieces, schema);
  const write = async (chunk: DuckDBDataChunk): Promise<void> => {
    for (const data of batchesOf(chunk, columns, row, { from: 0, length: chunk.rowCount })) {
      writer.write(new arrow.RecordBatch(schema, data));
      await pieces.handTo(out);
    }
  };
  const written = answer.columns.every(({ type }) => isKept(type))
    ? await eachChunk(answer, options.limit, write)
    : await eachConverted(answer, options, write);
  writer.close();
  await pieces.handTo(out);
  return written;
}

/** Uses a scratch table if some columns need another type. */
async function eachConverted(
  answer: Answer,
  options: Options,
  write: (chunk: DuckDBDataChunk) => Promise<void>,
): Promise<Written> {
  const types = answer.columns.map(({ type }) => scratchType(type, arrowLeaf));
  const selected = answer.columns.map(({ type }, i) => (isTagged(type) ? jsonOf(type, cellName(i)) : cellName(i)));
  const wide = answer.columns.flatMap(({ type }, i) => (type.typeId === DuckDBTypeId.HUGEINT ? [cellName(i)] : []));
  return await eachBatch(answer, options, types, {
    isFull: (rows) => rows >= batchRows,
    take: async (connection) => {
      for (const column of wide) await refuseTooWide(connection, column);
      const result = await connection.stream(`SELECT ${selected.join(', ')} FROM rows`);
      for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk())
        await write(chunk);
    },
  });
}

/** Buffers the output of the writer until it is passed on, because the library's own queue is unbounded. */
class Pieces extends arrow.AsyncByteQueue {
  #held: Uint8Array[] = [];

  override write(bytes: Uint8Array): void {
    this.#held.push(bytes);
  }

  async handTo(out: Sink): Promise<void> {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    if (bytes.length > 0) await out.write(bytes);
  }
}

/** A HUGEINT, the type of integer sums, has the bytes of a decimal, but can have one more digit. */
async function refuseTooWide(connection: DuckDBConnection, column: string): Promise<void> {
  const most = '9'.repeat(decimalDigits);
  const reader = await connection.runAndReadAll(
    `SELECT ${column}::VARCHAR FROM rows WHERE ${column} NOT BETWEEN -${most} AND ${most} LIMIT 1`,
  );
  const [value] = reader.getRows()[0] ?? [];
  if (value !== undefined) throw new TooWideForArrow(String(value));
}

/** Limits for the texts of a column in one batch; the second applies to a single row. */
const maxBytes = { usually: 2 ** 26, ever: 2 ** 31 - 1 };

/** One batch, or several if texts are long. */
function* batchesOf(
  chunk: DuckDBDataChunk,
  columns: readonly ArrowColumn[],
  type: arrow.Struct,
  { from, length }: Rows,
): Generator<arrow.Data<arrow.Struct>> {
  const part = {
    from,
    length,
    picked: null,
    count: chunk.rowCount,
    most: length === 1 ? maxBytes.ever : maxBytes.usually,
  };
  try {
    const children = columns.map((column, i) => column.data(vectorOf(chunk, i), part));
    yield arrow.makeData({ type, length, nullCount: 0, children });
  } catch (fault) {
    if (!(fault instanceof TooLong) || length === 1) throw fault;
    const half = length >> 1;
    yield* batchesOf(chunk, columns, type, { from, length: half });
    yield* batchesOf(chunk, columns, type, { from: from + half, length: length - half });
  }
}

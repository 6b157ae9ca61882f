// An Arrow IPC stream: a record batch a chunk, so that memory stays the same however many rows there are.
import type { DuckDBDataChunk } from '@duckdb/node-api';
import {
  AsyncByteQueue,
  type Data,
  Field,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
} from 'apache-arrow';
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { Answer } from '../../../projections/query/questions.ts';
import type { Sink } from '../../io.ts';
import { type ArrowColumn, TooLong } from './arrow-column.ts';
import { arrowColumn } from './arrow-columns.ts';
import { apart } from './names.ts';
import type { Options } from './options.ts';
import { eachPortion, type Written } from './portions.ts';
import { columnOf } from './vectors.ts';

export class BytesOnTerminal extends IcecoreError {
  constructor() {
    super('usage', 'Arrow is bytes for programs, which a terminal cannot show', {
      remedy: 'Send it to a file or a program: icecore sql --format arrow "..." > answer.arrows',
    });
  }
}

export async function writeArrow(answer: Answer, { out, limit }: Options): Promise<Written> {
  if (out.isTTY) throw new BytesOnTerminal();
  const names = apart(answer.columns.map(({ name }) => name));
  const columns = answer.columns.map(({ type }) => arrowColumn(type));
  const schema = new Schema(columns.map(({ type }, i) => new Field(names[i] ?? '', type, true)));
  const pieces = new Pieces();
  const writer = new RecordBatchStreamWriter();
  writer.reset(pieces, schema);
  const written = await eachPortion(answer, limit, async (chunk, count) => {
    for (const data of batchesOf(chunk, columns, new Struct(schema.fields), 0, count)) {
      writer.write(new RecordBatch(schema, data));
      await pieces.handTo(out);
    }
  });
  writer.close();
  await pieces.handTo(out);
  return written;
}

/** Takes what the writer has, until it is handed on: the queue of the library knows no end of what it keeps. */
class Pieces extends AsyncByteQueue {
  #kept: Uint8Array[] = [];

  override write(bytes: Uint8Array): void {
    this.#kept.push(bytes);
  }

  async handTo(out: Sink): Promise<void> {
    const bytes = Buffer.concat(this.#kept);
    this.#kept = [];
    if (bytes.length > 0) await out.write(bytes);
  }
}

/** Texts of a column in one batch may have so many bytes together, unless one row alone has more. */
const mostBytes = { usually: 2 ** 26, ever: 2 ** 31 - 1 };

/** One batch, or several where texts are long. */
function* batchesOf(
  chunk: DuckDBDataChunk,
  columns: readonly ArrowColumn[],
  type: Struct,
  from: number,
  length: number,
): Generator<Data<Struct>> {
  const most = length === 1 ? mostBytes.ever : mostBytes.usually;
  const rows = { from, length, picked: null };
  try {
    const children = columns.map((column, i) => column.data(columnOf(chunk, i), { count: chunk.rowCount, rows, most }));
    yield makeData({ type, length, nullCount: 0, children });
  } catch (fault) {
    if (!(fault instanceof TooLong) || length === 1) throw fault;
    const half = length >> 1;
    yield* batchesOf(chunk, columns, type, from, half);
    yield* batchesOf(chunk, columns, type, from + half, length - half);
  }
}

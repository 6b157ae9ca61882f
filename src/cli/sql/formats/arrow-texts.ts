// Texts and bytes for Arrow: one after the other, with the places where each begins.
import type { DuckDBType } from '@duckdb/node-api';
import { type Binary, makeData, Utf8 } from 'apache-arrow';
import { type ArrowColumn, TooLong } from './arrow-column.ts';
import { bitsOf, nullBits, rowAt, type Taking } from './arrow-rows.ts';
import { textCells } from './cells.ts';
import type { Form } from './form.ts';
import { isValid, piecesOf, type RawVector, validityOf } from './vectors.ts';

/** Copied as they are. */
export function bytesColumn(type: Utf8 | Binary): ArrowColumn {
  return {
    type,
    data(vector, taking) {
      const { length } = taking.rows;
      const props = { length, nullBitmap: nullBits(vector, taking), ...placed(vector, taking) };
      return type instanceof Utf8 ? makeData({ type, ...props }) : makeData({ type, ...props });
    },
  };
}

interface Placed {
  readonly valueOffsets: Int32Array;
  readonly data: Uint8Array;
}

function placed(vector: RawVector, taking: Taking): Placed {
  const { count, rows } = taking;
  if (rows.length === 0) return { valueOffsets: new Int32Array(1), data: new Uint8Array(0) };
  const { lengthAt, bytesAt } = piecesOf(vector, count);
  const valueOffsets = offsetsOf(vector, taking, lengthAt);
  const data = new Uint8Array(valueOffsets[rows.length] ?? 0);
  for (let i = 0; i < rows.length; i++) {
    const place = valueOffsets[i] ?? 0;
    if (place < (valueOffsets[i + 1] ?? 0)) data.set(bytesAt(rowAt(rows, i)), place);
  }
  return { valueOffsets, data };
}

/** Where each begins and the last ends; what is NULL has no length. */
export function offsetsOf(
  vector: RawVector,
  { count, rows, most }: Taking,
  lengthAt: (row: number) => number,
): Int32Array {
  const validity = validityOf(vector, count);
  const offsets = new Int32Array(rows.length + 1);
  let end = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rowAt(rows, i);
    if (isValid(validity, row)) end += lengthAt(row);
    if (end > most) throw new TooLong();
    offsets[i + 1] = end;
  }
  return offsets;
}

/** What is written first: types that Arrow has no counterpart of. */
export function textColumn(type: DuckDBType, form: Form): ArrowColumn {
  const utf8 = new Utf8();
  return {
    type: utf8,
    data(vector, { count, rows, most }) {
      const cells = textCells(vector, type, count, form);
      const texts = Array.from({ length: rows.length }, (_, i) => cells(rowAt(rows, i)));
      const nullBitmap = bitsOf(rows.length, (i) => texts[i] !== null);
      return makeData({ type: utf8, length: rows.length, nullBitmap, ...joined(texts, most) });
    },
  };
}

function joined(texts: readonly (string | null)[], most: number): Placed {
  const valueOffsets = new Int32Array(texts.length + 1);
  texts.forEach((text, i) => {
    const end = (valueOffsets[i] ?? 0) + Buffer.byteLength(text ?? '');
    if (end > most) throw new TooLong();
    valueOffsets[i + 1] = end;
  });
  return { valueOffsets, data: new Uint8Array(Buffer.from(texts.join(''))) };
}

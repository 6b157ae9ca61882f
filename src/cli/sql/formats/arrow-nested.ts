// Lists, arrays, maps and structs for Arrow: the items of all rows one after the other, as columns of their own.
import { Field, FixedSizeList, List, Map_, makeData, Struct } from 'apache-arrow';
import type { ArrowColumn } from './arrow-column.ts';
import { nullBits, type Rows, rowAt, type Taking } from './arrow-rows.ts';
import { offsetsOf } from './arrow-texts.ts';
import { arrayItemsOf, fieldOf, type Lists, listsOf, type RawVector } from './vectors.ts';

export function listColumn(item: ArrowColumn): ArrowColumn {
  const type = new List(new Field('item', item.type, true));
  return {
    type,
    data(vector, taking) {
      const { length } = taking.rows;
      const { items, valueOffsets, inner } = listed(vector, taking);
      const child = item.data(items, inner);
      return makeData({ type, length, nullBitmap: nullBits(vector, taking), valueOffsets, child });
    },
  };
}

export function mapColumn(key: ArrowColumn, value: ArrowColumn): ArrowColumn {
  const entries = new Struct([new Field('key', key.type, false), new Field('value', value.type, true)]);
  const type = new Map_(new Field('entries', entries, false));
  return {
    type,
    data(vector, taking) {
      const { length } = taking.rows;
      const { items, valueOffsets, inner } = listed(vector, taking);
      const children = [key.data(fieldOf(items, 0), inner), value.data(fieldOf(items, 1), inner)];
      const child = makeData({ type: entries, length: inner.rows.length, nullCount: 0, children });
      return makeData({ type, length, nullBitmap: nullBits(vector, taking), valueOffsets, child });
    },
  };
}

interface Listed {
  readonly items: RawVector;
  readonly valueOffsets: Int32Array;
  /** The items that the rows have. */
  readonly inner: Taking;
}

function listed(vector: RawVector, taking: Taking): Listed {
  const lists = listsOf(vector, taking.count);
  const valueOffsets = offsetsOf(vector, taking, (row) => Number(lists.entries[2 * row + 1]));
  const rows = itemsOf(taking.rows, lists, valueOffsets);
  return { items: lists.items, valueOffsets, inner: { count: lists.itemCount, rows, most: taking.most } };
}

/** Mostly the items lie in the order of the rows, and are copied as a whole. */
function itemsOf(rows: Rows, { entries }: Lists, offsets: Int32Array): Rows {
  const length = offsets[rows.length] ?? 0;
  const picked = new Int32Array(length);
  for (let i = 0; i < rows.length; i++) {
    const [begin, end] = [offsets[i] ?? 0, offsets[i + 1] ?? 0];
    if (begin === end) continue;
    const first = Number(entries[2 * rowAt(rows, i)]);
    for (let item = begin; item < end; item++) picked[item] = first + item - begin;
  }
  const from = picked[0] ?? 0;
  return { from, length, picked: picked.every((item, i) => item === from + i) ? null : picked };
}

export function arrayColumn(item: ArrowColumn, size: number): ArrowColumn {
  const type = new FixedSizeList(size, new Field('item', item.type, true));
  return {
    type,
    data(vector, taking) {
      const { count, rows, most } = taking;
      const inner = { count: count * size, rows: arrayItems(rows, size), most };
      const child = item.data(arrayItemsOf(vector), inner);
      return makeData({ type, length: rows.length, nullBitmap: nullBits(vector, taking), child });
    },
  };
}

function arrayItems({ from, length, picked }: Rows, size: number): Rows {
  const items = picked === null ? null : Int32Array.from(picked, (row) => row * size);
  return {
    from: from * size,
    length: length * size,
    picked:
      items && Int32Array.from({ length: length * size }, (_, i) => (items[Math.floor(i / size)] ?? 0) + (i % size)),
  };
}

export function structColumn(names: readonly string[], fields: readonly ArrowColumn[]): ArrowColumn {
  const type = new Struct(fields.map((field, i) => new Field(names[i] ?? '', field.type, true)));
  return {
    type,
    data(vector, taking) {
      const children = fields.map((field, i) => field.data(fieldOf(vector, i), taking));
      return makeData({ type, length: taking.rows.length, nullBitmap: nullBits(vector, taking), children });
    },
  };
}

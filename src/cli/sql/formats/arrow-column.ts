// One column on its way to Arrow.
import type { Data, DataType } from 'apache-arrow';
import type { Taking } from './arrow-rows.ts';
import type { RawVector } from './vectors.ts';

export interface ArrowColumn {
  readonly type: DataType;
  /** The rows that are taken, in memory of their own. */
  data(vector: RawVector, taking: Taking): Data;
}

/** Texts, bytes or items of more than a batch may have. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
}

// How an answer is asked to be written.

import type { Paint } from '../../../base/terminal.ts';
import type { Sink } from '../../io.ts';

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
}

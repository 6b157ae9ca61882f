// A frozen lake with agents on it: a square grid with holes, and for every agent where it starts and where it wants to be.
// Cells are numbered row by row from 0: that is how everything in here speaks of them. People and other programs see rows
// and columns (line.ts, ascii.ts).
import { IcecoreError } from '../../../schemas/errors.ts';

/** A cell: row x size + column. */
export type Cell = number;

export interface Agent {
  readonly start: Cell;
  readonly goal: Cell;
}

export interface Instance {
  /** What its maker calls it. No part of what it is: two instances that differ only here are the same. */
  readonly id?: string;
  /** Rows, and as many columns. */
  readonly size: number;
  /** One byte a cell: 1 where there is a hole. */
  readonly holes: Uint8Array;
  readonly agents: readonly Agent[];
}

/** What is accepted from outside. The generator's configuration keeps to sizes from 3 to 10. */
export const smallestSize = 3;
export const largestSize = 32;

/** As many as there are letters to write them with. */
export const mostAgents = 26;

/** A plan longer than this is a failure: 4 x (rows + columns). */
export function horizonOf(size: number): number {
  return 4 * (size + size);
}

export function rowOf(cell: Cell, size: number): number {
  return Math.floor(cell / size);
}

export function columnOf(cell: Cell, size: number): number {
  return cell % size;
}

/** A cell as it is written outside: its row and its column. */
export type Pair = readonly [row: number, column: number];

export function pairOf(cell: Cell, size: number): Pair {
  return [rowOf(cell, size), columnOf(cell, size)];
}

/** What is no cell of the grid. */
export const nowhere: Cell = -1;

/** The cell that a value from outside means: `nowhere` unless it is a pair of whole numbers within the grid. */
export function cellOf(value: unknown, size: number): Cell {
  if (!Array.isArray(value) || value.length !== 2) return nowhere;
  const row: unknown = value[0];
  const column: unknown = value[1];
  if (!isWithin(row, size) || !isWithin(column, size)) return nowhere;
  return (row * size + column) | 0;
}

function isWithin(value: unknown, size: number): value is number {
  return typeof value === 'number' && value >= 0 && value < size && (value | 0) === value;
}

/** What was handed in as an instance is none, whichever form it has. */
export class NotAnInstance extends IcecoreError {
  override readonly name = 'NotAnInstance';

  /** `field` says where: `agents[1].start`, `line 2, column 4`; empty for the whole. */
  constructor(field: string, found: string, allowed: string) {
    super('bad-input', `${field === '' ? 'the instance' : field}: found ${found}, allowed: ${allowed}`, {
      facts: { field, found, allowed },
    });
  }
}

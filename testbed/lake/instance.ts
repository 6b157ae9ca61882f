// A frozen lake with agents: a square grid with holes, and a start and a goal for every agent. Internally, cells are numbered row by row
// from 0. People and other programs see rows and columns (line.ts, ascii.ts).

import { hash } from 'node:crypto';
import { IcecoreError } from '../../schemas/errors.ts';

/** A cell: row x size + column. */
export type Cell = number;

export interface Agent {
  readonly start: Cell;
  readonly goal: Cell;
}

export interface Instance {
  /** A label that is not part of the identity: two instances that differ only here are the same. */
  readonly id?: string;
  /** The number of rows and columns. */
  readonly size: number;
  /** One byte per cell: 1 for a hole. */
  readonly holes: Uint8Array;
  readonly agents: readonly Agent[];
}

/** Limits for instances from outside. The generator uses sizes from 3 to 10. */
export const smallestSize = 3;
export const largestSize = 32;

/** Limited by the letters of the alphabet. */
export const maxAgents = 26;

/** A longer plan is a failure: 4 x (rows + columns). */
export function horizonOf(size: number): number {
  return 4 * (size + size);
}

export function rowOf(cell: Cell, size: number): number {
  return Math.floor(cell / size);
}

export function columnOf(cell: Cell, size: number): number {
  return cell % size;
}

/** A cell in external formats: its row and its column. */
export type Pair = readonly [row: number, column: number];

export function pairOf(cell: Cell, size: number): Pair {
  return [rowOf(cell, size), columnOf(cell, size)];
}

/** Not a cell of the grid. */
export const nowhere: Cell = -1;

/** The cell of an external value: `nowhere` unless it is a pair of whole numbers within the grid. */
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

/** Thrown for an invalid instance, in any format. */
export class NotAnInstance extends IcecoreError {
  override readonly name = 'NotAnInstance';

  /** `field` is the location: `agents[1].start`, `line 2, column 4`; empty for the whole instance. */
  constructor(field: string, found: string, allowed: string) {
    super('bad-input', `${field === '' ? 'the instance' : field}: found ${found}, allowed: ${allowed}`, {
      facts: { field, found, allowed },
    });
  }
}

// The eight symmetries of a square, and a canonical representative of all instances that are the same up to symmetry and renumbering of
// agents.

/** A symmetry as tables: cell `from[c]` moves to c, and cell c moves to `to[c]`. */
export interface Symmetry {
  readonly to: Uint16Array;
  readonly from: Uint16Array;
}

const known: (readonly Symmetry[])[] = [];

/** All eight, the identity first. */
export function symmetriesOf(size: number): readonly Symmetry[] {
  known[size] ??= [false, true].flatMap((transposed) =>
    [false, true].flatMap((upturned) => [false, true].map((mirrored) => tables(size, transposed, upturned, mirrored))),
  );
  return known[size];
}

function tables(size: number, transposed: boolean, upturned: boolean, mirrored: boolean): Symmetry {
  const to = new Uint16Array(size ** 2);
  const from = new Uint16Array(size ** 2);
  for (let cell = 0; cell < to.length; cell++) {
    const row = transposed ? columnOf(cell, size) : rowOf(cell, size);
    const column = transposed ? rowOf(cell, size) : columnOf(cell, size);
    const image = (upturned ? size - 1 - row : row) * size + (mirrored ? size - 1 - column : column);
    to[cell] = image;
    from[image] = cell;
  }
  return { to, from };
}

function transformedHoles(holes: Uint8Array, { from }: Symmetry): Uint8Array {
  const there = new Uint8Array(holes.length);
  for (let cell = 0; cell < there.length; cell++) there[cell] = holes[from[cell] as Cell] as number;
  return there;
}

/**
 * The representative of all instances that are the same up to rotation, reflection and renumbering of agents: the one with the smallest
 * holes, as bytes, and then the smallest agents, sorted by start.
 */
export function representativeOf({ size, holes, agents }: Instance): Instance {
  const [same, ...others] = symmetriesOf(size) as readonly [Symmetry, ...Symmetry[]];
  let bestHoles = holes;
  let bestKeys = agentKeys(agents, same, size);
  for (const way of others) {
    const order = compareHoles(holes, way, bestHoles);
    if (order > 0) continue;
    const keys = agentKeys(agents, way, size);
    if (order === 0 && compareKeys(keys, bestKeys) >= 0) continue;
    if (order < 0) bestHoles = transformedHoles(holes, way);
    bestKeys = keys;
  }
  return { size, holes: bestHoles, agents: agentsOf(bestKeys, size) };
}

/** Negative if the transformed holes come before the others. */
function compareHoles(holes: Uint8Array, { from }: Symmetry, others: Uint8Array): number {
  for (let cell = 0; cell < others.length; cell++) {
    const order = (holes[from[cell] as Cell] as number) - (others[cell] as number);
    if (order !== 0) return order;
  }
  return 0;
}

type AgentKeys = readonly number[];

/** Every agent as a number, sorted: no two start on one cell. */
function agentKeys(agents: readonly Agent[], { to }: Symmetry, size: number): AgentKeys {
  const keys: number[] = [];
  for (const { start, goal } of agents) {
    const key = (to[start] as Cell) * size ** 2 + (to[goal] as Cell);
    // Agents are few: sorting them into their places is faster than any other way.
    let at = keys.length;
    for (; at > 0 && (keys[at - 1] as number) > key; at--) keys[at] = keys[at - 1] as number;
    keys[at] = key;
  }
  return keys;
}

function compareKeys(one: AgentKeys, other: AgentKeys): number {
  for (let i = 0; i < one.length; i++) {
    const order = (one[i] as number) - (other[i] as number);
    if (order !== 0) return order;
  }
  return 0;
}

function agentsOf(keys: AgentKeys, size: number): readonly Agent[] {
  return keys.map((key) => ({ start: Math.floor(key / size ** 2), goal: key % size ** 2 }));
}

// Digests of instances, which identify tasks: they separate splits and are recorded in events.

/** SHA-256 of the canonical JSON of the instance's line, without its id and with its holes in the order of cells. */
export function digestOf(instance: Instance): string {
  return hash('sha256', canonicalLine(instance));
}

/** Equal exactly for instances that are the same up to rotation, reflection and renumbering of agents. */
export function symmetryDigestOf(instance: Instance): string {
  return digestOf(representativeOf(instance));
}

/** Equals canonicalJson of the line, built from cached cell texts for speed: a generator computes a digest for every draw. */
function canonicalLine({ size, holes, agents }: Instance): string {
  const cells = cellTexts(size);
  let text = '{"agents":[';
  let separator = '';
  for (const { start, goal } of agents) {
    text += `${separator}{"goal":${cells[goal]},"start":${cells[start]}}`;
    separator = ',';
  }
  text += '],"holes":[';
  separator = '';
  for (let cell = 0; cell < holes.length; cell++) {
    if (holes[cell] !== 1) continue;
    text += separator + (cells[cell] as string);
    separator = ',';
  }
  return `${text}],"size":${size}}`;
}

const digestsKnown: (readonly string[])[] = [];

/** `[row,column]` by cell. */
function cellTexts(size: number): readonly string[] {
  digestsKnown[size] ??= Array.from({ length: size ** 2 }, (_, cell: Cell) => JSON.stringify(pairOf(cell, size)));
  return digestsKnown[size];
}

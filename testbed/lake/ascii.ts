// An instance drawn in letters, for people to read and to type: one line per row, two characters per cell, a space between cells. `..`
// is free and `##` a hole; a lower-case first letter is the start of that agent, an upper-case second letter is its goal:
//
//     a. .. .B
//     .. ## ..
//     b. .. .A
//
// The drawing contains the whole instance except its id.
import {
  type Agent,
  type Cell,
  columnOf,
  type Instance,
  largestSize,
  maxAgents,
  NotAnInstance,
  rowOf,
  smallestSize,
} from './instance.ts';
import { valueText } from './line.ts';

const starts = 'abcdefghijklmnopqrstuvwxyz';
const goals = starts.toUpperCase();
const free = '.';
const hole = '#';

export function asciiOf({ size, holes, agents }: Instance): string {
  const first: string[] = Array.from(holes, (is) => (is === 1 ? hole : free));
  const second = [...first];
  for (const [i, { start, goal }] of agents.entries()) {
    first[start] = starts.charAt(i);
    second[goal] = goals.charAt(i);
  }
  const cells = first.map((character, cell) => character + second[cell]);
  return Array.from({ length: size }, (_, row) => cells.slice(row * size, (row + 1) * size).join(' ')).join('\n');
}

/**
 * Ignores empty lines around the drawing and trailing spaces. Throws NotAnInstance with the position; `first` is the line number of
 * the text in its input.
 */
export function fromAscii(text: string, first = 1): Instance {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const isDrawn = (line: string): boolean => line !== '';
  const above = lines.findIndex(isDrawn);
  const rows = lines.slice(above, lines.findLastIndex(isDrawn) + 1).map((row, i) => cellsOf(row, above + first + i));
  requireSquare(rows, above + first);
  const size = rows.length;
  const cells = rows.flat();
  const placeOf = (cell: Cell, part: 0 | 1): string =>
    place(above + first + rowOf(cell, size), 3 * columnOf(cell, size) + part);
  const holes = Uint8Array.from(cells, (cell) => (cell === hole + hole ? 1 : 0));
  return { size, holes, agents: agentsIn(cells, placeOf) };
}

const place = (line: number, index: number): string => `line ${line}, column ${index + 1}`;

/** The cells of a row, two characters each. `line` is its line number, from 1. */
function cellsOf(row: string, line: number): string[] {
  for (let i = 0; i < row.length; i++) if (!allowedAt(i, row).includes(row.charAt(i))) throw strange(row, i, line);
  if (row.length % 3 !== 2) throw strange(row, row.length, line);
  return row.split(' ');
}

function requireSquare(rows: readonly (readonly string[])[], firstLine: number): void {
  const columns = rows[0]?.length ?? 0;
  const odd = rows.findIndex(({ length }) => length !== columns);
  if (odd >= 0) {
    const found = `${rows[odd]?.length} cells`;
    throw new NotAnInstance(`line ${firstLine + odd}`, found, `${columns} cells, as in line ${firstLine}`);
  }
  if (rows.length === columns && columns >= smallestSize && columns <= largestSize) return;
  const allowed = `as many rows as columns, from ${smallestSize} to ${largestSize}`;
  throw new NotAnInstance('', `${rows.length} rows and ${columns} columns`, allowed);
}

/** Every character that is allowed here, as one text. */
function allowedAt(i: number, row: string): string {
  switch (i % 3) {
    case 0:
      return free + hole + starts;
    case 1:
      return row.charAt(i - 1) === hole ? hole : free + goals;
    default:
      return ' ';
  }
}

function strange(row: string, i: number, line: number): NotAnInstance {
  const character = row.codePointAt(i);
  const found = valueText(character === undefined ? undefined : String.fromCodePoint(character));
  return new NotAnInstance(place(line, i), found, inWords(allowedAt(i, row)));
}

function inWords(characters: string): string {
  switch (characters) {
    case hole:
      return '"#" next to a "#"';
    case ' ':
      return 'a space between cells';
    case free + goals:
      return '"." or the upper-case letter of a goal';
    default:
      return '".", "#" or the lower-case letter of a start';
  }
}

type PlaceOf = (cell: Cell, part: 0 | 1) => string;

function agentsIn(cells: readonly string[], placeOf: PlaceOf): readonly Agent[] {
  const startOf = letters(cells, 0, starts, placeOf);
  const goalOf = letters(cells, 1, goals, placeOf);
  if (startOf.size === 0 && goalOf.size === 0) {
    throw new NotAnInstance('', 'no agents', `1 to ${maxAgents}: the letters "a" and "A" are the first`);
  }
  const agents: Agent[] = [];
  for (let i = 0; i < Math.max(startOf.size, goalOf.size); i++) {
    const start = startOf.get(i);
    const goal = goalOf.get(i);
    if (start === undefined || goal === undefined) throw incomplete(i, startOf, goalOf, placeOf);
    agents.push({ start, goal });
  }
  return agents;
}

/** Where the letters of an alphabet are, by their number. */
function letters(cells: readonly string[], part: 0 | 1, alphabet: string, placeOf: PlaceOf): Map<number, Cell> {
  const found = new Map<number, Cell>();
  for (const [cell, characters] of cells.entries()) {
    const letter = characters.charAt(part);
    const i = alphabet.indexOf(letter);
    if (i < 0) continue;
    const other = found.get(i);
    if (other !== undefined) {
      const twice = `${valueText(letter)} again, after ${placeOf(other, part)}`;
      throw new NotAnInstance(placeOf(cell, part), twice, 'every letter once');
    }
    found.set(i, cell);
  }
  return found;
}

/** Agent `i` lacks a start, a goal, or both; in the last case a later letter follows a gap. */
function incomplete(
  i: number,
  startOf: ReadonlyMap<number, Cell>,
  goalOf: ReadonlyMap<number, Cell>,
  placeOf: PlaceOf,
): NotAnInstance {
  const start = startOf.get(i);
  const goal = goalOf.get(i);
  const lower = valueText(starts.charAt(i));
  const upper = valueText(goals.charAt(i));
  if (start !== undefined) {
    return new NotAnInstance(placeOf(start, 0), `${lower} without ${upper}`, 'a goal for every start');
  }
  if (goal !== undefined) {
    return new NotAnInstance(placeOf(goal, 1), `${upper} without ${lower}`, 'a start for every goal');
  }
  const [alphabet, places, part] = startOf.size > i ? ([starts, startOf, 0] as const) : ([goals, goalOf, 1] as const);
  const later = Math.min(...[...places.keys()].filter((number) => number > i));
  const found = `${valueText(alphabet.charAt(later))} without ${valueText(alphabet.charAt(i))}`;
  return new NotAnInstance(placeOf(places.get(later) as Cell, part), found, 'letters without a gap');
}

// A joint plan: the moves of every agent, step by step, all agents at the same time. An agent without further moves stays in place.
import { type Agent, type Cell, horizonOf, type Instance, nowhere, pairOf } from './instance.ts';
import { valueText } from './line.ts';

/** Up, down, left, right, wait; one letter per step. Empty for an agent that never moves. */
export type Moves = string;

/** One text of moves per agent, in the order of the instance's agents. */
export type Plan = readonly Moves[];

export const moveLetters = 'UDLRW';

const up = 'U'.charCodeAt(0);
const down = 'D'.charCodeAt(0);
const left = 'L'.charCodeAt(0);
const right = 'R'.charCodeAt(0);

/** The cell that a letter, given by its code, leads to: `nowhere` if it is off the grid. */
export function moveFrom(cell: Cell, letter: number, size: number): Cell {
  switch (letter) {
    case up:
      return cell < size ? nowhere : cell - size;
    case down:
      return cell >= size * (size - 1) ? nowhere : cell + size;
    case left:
      return cell % size === 0 ? nowhere : cell - 1;
    case right:
      return cell % size === size - 1 ? nowhere : cell + 1;
    default:
      return cell;
  }
}

// Parses an answer as a plan: for every agent a text of moves, or the cells it visits. An unreadable answer is a failure like any other,
// so it is returned as a value with an explanation.

/** An answer that is not a plan. */
export class Unreadable {
  /** The agents whose moves could not be read; empty for the answer as a whole. */
  readonly agents: readonly number[];
  /** Where, what was found, and what is allowed. */
  readonly words: string;

  constructor(agents: readonly number[], where: string, found: string, allowed: string) {
    this.agents = agents;
    this.words = `${where}: found ${found}, allowed: ${allowed}`;
  }
}

/**
 * Moves may be in lower case, without separators. A path begins with the agent's start, and each cell equals or neighbours the one before.
 * All agents use the same form. An answer for too few agents can be read: judging it reports the missing ones.
 */
export function planOf(answer: unknown, instance: Instance): Plan | Unreadable {
  const { agents } = instance;
  if (!Array.isArray(answer)) return new Unreadable([], 'the plan', valueText(answer), planForms);
  if (answer.length > agents.length) {
    return new Unreadable([], 'the plan', `moves for ${answer.length} agents`, `at most ${agents.length}`);
  }
  const isPaths = Array.isArray(answer[0]);
  const plan: Moves[] = [];
  for (let i = 0; i < answer.length; i++) {
    const moves = isPaths ? pathMoves(answer[i], i, agents[i] as Agent, instance.size) : textMoves(answer[i], i);
    if (moves instanceof Unreadable) return moves;
    plan.push(moves);
  }
  return plan;
}

const planForms = 'a list with a text of moves or a path of cells for every agent';
const allowedLetters = [...moveLetters].join(', ');

/** By character code, for the letters in both cases: 1. */
const isLetter = new Uint8Array(128);
for (const letter of moveLetters + moveLetters.toLowerCase()) isLetter[letter.charCodeAt(0)] = 1;

const firstLowerCase = 'a'.charCodeAt(0);

function textMoves(text: unknown, agent: number): Moves | Unreadable {
  if (typeof text !== 'string') {
    return new Unreadable([agent], `plan[${agent}]`, valueText(text), `a text of ${allowedLetters} for every agent`);
  }
  let isLower = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isLetter[code] !== 1) return noMove(text, i, agent);
    if (code >= firstLowerCase) isLower = true;
  }
  return isLower ? text.toUpperCase() : text;
}

function noMove(text: string, i: number, agent: number): Unreadable {
  const character = String.fromCodePoint(text.codePointAt(i) as number);
  return new Unreadable([agent], `plan[${agent}], step ${i + 1}`, valueText(character), allowedLetters);
}

type Position = readonly [row: number, column: number];

function pathMoves(path: unknown, agent: number, { start }: Agent, size: number): Moves | Unreadable {
  if (!Array.isArray(path)) {
    return new Unreadable([agent], `plan[${agent}]`, valueText(path), 'a path of cells for every agent');
  }
  let before: Position = pairOf(start, size);
  if (!isPosition(path[0]) || stepBetween(before, path[0]) !== 'W') {
    return new Unreadable(
      [agent],
      `plan[${agent}], step 0`,
      valueText(path[0]),
      `${valueText(before)}, where the agent starts`,
    );
  }
  let moves = '';
  for (let i = 1; i < path.length; i++) {
    const cell: unknown = path[i];
    const move = isPosition(cell) ? stepBetween(before, cell) : null;
    if (move === null) {
      const allowed = `${valueText(before)} or a cell next to it`;
      return new Unreadable([agent], `plan[${agent}], step ${i}`, valueText(cell), allowed);
    }
    moves += move;
    before = cell as Position;
  }
  return moves;
}

/** May be off the grid, which the judge reports. */
function isPosition(value: unknown): value is Position {
  return Array.isArray(value) && value.length === 2 && Number.isInteger(value[0]) && Number.isInteger(value[1]);
}

function stepBetween(from: Position, to: Position): Moves | null {
  const down = to[0] - from[0];
  const right = to[1] - from[1];
  if (Math.abs(down) + Math.abs(right) > 1) return null;
  if (down !== 0) return down > 0 ? 'D' : 'U';
  if (right !== 0) return right > 0 ? 'R' : 'L';
  return 'W';
}

// The positions of every agent in a plan, ignoring other agents: for drawings.

/**
 * The positions of every agent at step 0, 1, 2, ... to the end of the longest text, but not beyond the horizon, where judging ends. Agents
 * without moves stay at their starts.
 */
export function positionsOf(instance: Instance, plan: Plan): Cell[][] {
  const longest = plan.reduce((most, { length }) => Math.max(most, length), 0);
  const steps = Math.min(longest, horizonOf(instance.size));
  const cells = instance.agents.map((agent, i) => cellsOf(instance, agent, (plan[i] ?? '').slice(0, steps)));
  return Array.from({ length: steps + 1 }, (_, step) => cells.map((path) => path[step] ?? (path.at(-1) as Cell)));
}

/** As in the judge: a move off the grid has no effect, and an agent in a hole stays there. */
function cellsOf({ size, holes }: Instance, { start }: Agent, moves: Moves): Cell[] {
  const cells = [start];
  let at = start;
  for (let i = 0; i < moves.length; i++) {
    const next = holes[at] === 1 ? at : moveFrom(at, moves.charCodeAt(i), size);
    if (next !== nowhere) at = next;
    cells.push(at);
  }
  return cells;
}

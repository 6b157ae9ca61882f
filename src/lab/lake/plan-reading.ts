// Reads what was answered as a plan: a text of moves for every agent, or for every agent the cells it is on. What can
// not be read is a way to fail like any other, so that it comes as a value with words for whoever looks at the failure.
import { type Agent, type Instance, pairOf } from './instance.ts';
import { shown } from './line-shown.ts';
import { type Moves, moveLetters, type Plan } from './plan.ts';

/** An answer that is no plan. */
export class Unreadable {
  /** Whose moves could not be read; nobody's where it is the answer as a whole. */
  readonly agents: readonly number[];
  /** Where, what was found, what is allowed. */
  readonly words: string;

  constructor(agents: readonly number[], where: string, found: string, allowed: string) {
    this.agents = agents;
    this.words = `${where}: found ${found}, allowed: ${allowed}`;
  }
}

/**
 * Moves may be written in lower case; nothing may stand between them. A path begins with the agent's start, and each of
 * its cells is the one before or beside it. One form for all agents. An answer for fewer agents than there are can be
 * read: judging it names those who are missing.
 */
export function planOf(answer: unknown, instance: Instance): Plan | Unreadable {
  const { agents } = instance;
  if (!Array.isArray(answer)) return new Unreadable([], 'the plan', shown(answer), planForms);
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
    return new Unreadable([agent], `plan[${agent}]`, shown(text), `a text of ${allowedLetters} for every agent`);
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
  return new Unreadable([agent], `plan[${agent}], step ${i + 1}`, shown(character), allowedLetters);
}

type Position = readonly [row: number, column: number];

function pathMoves(path: unknown, agent: number, { start }: Agent, size: number): Moves | Unreadable {
  if (!Array.isArray(path)) {
    return new Unreadable([agent], `plan[${agent}]`, shown(path), 'a path of cells for every agent');
  }
  let before: Position = pairOf(start, size);
  if (!isPosition(path[0]) || stepBetween(before, path[0]) !== 'W') {
    return new Unreadable(
      [agent],
      `plan[${agent}], step 0`,
      shown(path[0]),
      `${shown(before)}, where the agent starts`,
    );
  }
  let moves = '';
  for (let i = 1; i < path.length; i++) {
    const cell: unknown = path[i];
    const move = isPosition(cell) ? stepBetween(before, cell) : null;
    if (move === null) {
      const allowed = `${shown(before)} or a cell beside it`;
      return new Unreadable([agent], `plan[${agent}], step ${i}`, shown(cell), allowed);
    }
    moves += move;
    before = cell as Position;
  }
  return moves;
}

/** Off the grid, too: who walks there is off the grid, which is for the judge to say. */
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

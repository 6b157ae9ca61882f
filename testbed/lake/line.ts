// An instance as one line of JSON, for exchange between programs: {id?, size, holes, agents}. Other keys are ignored, so that the output
// of one command can be the input of the next. The parser is hand-written because it is on the path of every reward: a valid line only
// passes comparisons, and messages are built for invalid ones.
import { isObject } from '../../schemas/json-text.ts';
import {
  type Agent,
  type Cell,
  cellOf,
  type Instance,
  largestSize,
  maxAgents,
  NotAnInstance,
  nowhere,
  type Pair,
  pairOf,
  smallestSize,
} from './instance.ts';

export interface Line {
  readonly id?: string;
  readonly size: number;
  readonly holes: readonly Pair[];
  readonly agents: readonly { readonly start: Pair; readonly goal: Pair }[];
}

/** Holes are in the order of their cells. */
export function lineOf({ id, size, holes, agents }: Instance): Line {
  const pairs: Pair[] = [];
  for (let cell = 0; cell < holes.length; cell++) if (holes[cell] === 1) pairs.push(pairOf(cell, size));
  const line = {
    size,
    holes: pairs,
    agents: agents.map(({ start, goal }) => ({ start: pairOf(start, size), goal: pairOf(goal, size) })),
  };
  return id === undefined ? line : { id, ...line };
}

/** The instance of a parsed line. Throws NotAnInstance for the first invalid field. */
export function instanceOf(line: unknown): Instance {
  if (!isObject(line))
    throw new NotAnInstance('', valueText(line), 'an object: {"size": 8, "holes": [...], "agents": [...]}');
  const { id, size } = line;
  if (id !== undefined && !isName(id))
    throw new NotAnInstance('id', valueText(id), 'a text without control characters');
  if (!isSize(size)) {
    throw new NotAnInstance('size', valueText(size), `a whole number from ${smallestSize} to ${largestSize}`);
  }
  const holes = holesOf(line['holes'], size);
  const agents = agentsOf(line['agents'], size, holes);
  return id === undefined ? { size, holes, agents } : { id, size, holes, agents };
}

/** A valid task id in events: see schemas/primitives.ts. */
function isName(value: unknown): value is string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it refuses control characters
  return typeof value === 'string' && /^[^\u0000-\u001f\u007f]+$/.test(value) && value.isWellFormed();
}

function isSize(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= smallestSize && (value as number) <= largestSize;
}

function holesOf(list: unknown, size: number): Uint8Array {
  if (!Array.isArray(list)) throw new NotAnInstance('holes', valueText(list), 'a list of cells: [[row, column], ...]');
  const holes = new Uint8Array(size * size);
  for (let i = 0; i < list.length; i++) {
    const cell = cellOf(list[i], size);
    if (cell === nowhere) throw notACell(`holes[${i}]`, list[i], size);
    if (holes[cell] === 1) throw new NotAnInstance(`holes[${i}]`, `${valueText(list[i])} again`, 'each hole once');
    holes[cell] = 1;
  }
  return holes;
}

function agentsOf(list: unknown, size: number, holes: Uint8Array): readonly Agent[] {
  if (!Array.isArray(list) || list.length === 0 || list.length > maxAgents) {
    throw new NotAnInstance('agents', valueText(list), `a list of 1 to ${maxAgents} agents: [{"start", "goal"}, ...]`);
  }
  const agents: Agent[] = [];
  for (let i = 0; i < list.length; i++) agents.push(agentOf(list[i], i, size));
  requireApart(agents, size, holes);
  return agents;
}

function agentOf(value: unknown, i: number, size: number): Agent {
  if (!isObject(value)) {
    throw new NotAnInstance(
      `agents[${i}]`,
      valueText(value),
      'an object: {"start": [row, column], "goal": [row, column]}',
    );
  }
  const start = cellOf(value['start'], size);
  if (start === nowhere) throw notACell(`agents[${i}].start`, value['start'], size);
  const goal = cellOf(value['goal'], size);
  if (goal === nowhere) throw notACell(`agents[${i}].goal`, value['goal'], size);
  return { start, goal };
}

/**
 * No start or goal may be on a hole, and no two agents may share a start or a goal. An agent may start on its own goal or another's.
 */
function requireApart(agents: readonly Agent[], size: number, holes: Uint8Array): void {
  for (let i = 0; i < agents.length; i++) {
    const { start, goal } = agents[i] as Agent;
    if (holes[start] === 1) throw onAHole(`agents[${i}].start`, start, size);
    if (holes[goal] === 1) throw onAHole(`agents[${i}].goal`, goal, size);
    for (let j = 0; j < i; j++) {
      const other = agents[j] as Agent;
      if (other.start === start) throw shared(`agents[${i}].start`, start, size, `agents[${j}].start`);
      if (other.goal === goal) throw shared(`agents[${i}].goal`, goal, size, `agents[${j}].goal`);
    }
  }
}

function notACell(field: string, value: unknown, size: number): NotAnInstance {
  return new NotAnInstance(field, valueText(value), `a cell: [row, column], two whole numbers from 0 to ${size - 1}`);
}

function onAHole(field: string, cell: Cell, size: number): NotAnInstance {
  return new NotAnInstance(field, `${valueText(pairOf(cell, size))}, a hole`, 'a cell without a hole');
}

function shared(field: string, cell: Cell, size: number, other: string): NotAnInstance {
  return new NotAnInstance(field, `${valueText(pairOf(cell, size))}, as ${other}`, 'a different cell for every agent');
}

// External values in messages: short, and verbatim if that is readable.

/** Longer texts are cut. */
const longestText = 60;

/** Longer lists are counted. A cell has two members, a mistyped one may have three. */
const longestList = 3;

export function valueText(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing';
    case 'string':
      return JSON.stringify(value.length > longestText ? `${value.slice(0, longestText)}…` : value);
    case 'number':
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? list(value) : 'an object';
    default:
      return `a ${typeof value}`;
  }
}

function list(members: readonly unknown[]): string {
  const isPlain = members.length <= longestList && !members.some((member) => typeof member === 'object');
  return isPlain ? `[${members.map(valueText).join(', ')}]` : `a list of ${members.length}`;
}

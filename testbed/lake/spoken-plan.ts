// Finds the plan in an answer in words: JSON or a line per agent, within code fences or prose. It extracts the content unchanged and never
// guesses moves; validity is checked elsewhere.

import { readFileSync } from 'node:fs';
import { type Json, jsonIn } from '../../src/library/plugins/tools.ts';
import { asciiOf } from './ascii.ts';
import { type Cell, columnOf, horizonOf, type Instance, rowOf } from './instance.ts';

/** The answer to judge: the last plan in a text, or the text itself if there is none. */
export function spokenPlan(answer: unknown): unknown {
  if (typeof answer !== 'string') return answer;
  const values = jsonIn(answer);
  return last(values, (value) => namedPlan(value)) ?? last(values, barePlan) ?? linesPlan(answer) ?? answer;
}

function last(values: readonly Json[], read: (value: Json) => Json | undefined): Json | undefined {
  return values.map(read).findLast((plan) => plan !== undefined);
}

/** Plans are not nested deeper than this. */
const deepest = 4;

/** `{"plan": ...}`, also nested. */
function namedPlan(value: Json, depth = 0): Json | undefined {
  if (typeof value !== 'object' || value === null || depth > deepest) return undefined;
  if (Array.isArray(value)) return last(value, (member) => namedPlan(member, depth + 1));
  if (Object.hasOwn(value, 'plan')) return byAgents(value['plan']) ?? value['plan'];
  return last(Object.values(value), (member) => namedPlan(member, depth + 1));
}

/** `["RRD", "DW"]`, a list of paths, or `{"a": "RRD", "b": "DW"}`. */
function barePlan(value: Json): Json | undefined {
  if (!Array.isArray(value)) return byAgents(value);
  const [first] = value;
  const isPath = Array.isArray(first) && Array.isArray(first[0]);
  return typeof first === 'string' || isPath ? value : undefined;
}

function byAgents(value: Json | undefined): Json[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const byAgent = Object.entries(value).map(([key, moves]) => [agentIn(key), moves] as const);
  return byAgent.some(([agent]) => agent === undefined) ? undefined : inOrder(new Map(byAgent));
}

function agentIn(key: string): number | undefined {
  const [, letter] = /^(?:agent[ _-]?)?([a-z])$/i.exec(key.trim()) ?? [];
  return letter === undefined ? undefined : numberOf(letter);
}

const numberOf = (letter: string): number => letter.toLowerCase().charCodeAt(0) - 'a'.charCodeAt(0);

/** All agents from the first on, without gaps; with a gap, the assignment would be a guess. */
function inOrder<Moves>(byAgent: ReadonlyMap<number | undefined, Moves>): Moves[] | undefined {
  const moves: Moves[] = [];
  for (let agent = 0; agent < byAgent.size; agent++) {
    const found = byAgent.get(agent);
    if (found === undefined) return undefined;
    moves.push(found);
  }
  return moves.length === 0 ? undefined : moves;
}

/** `Agent a: RRD`, one per line, with or without decoration. A second line for an agent starts a second plan. */
function linesPlan(text: string): string[] | undefined {
  let byAgent = new Map<number, string>();
  for (const line of text.split('\n')) {
    const plain = line.replace(/[\s*_`"'#>|-]+/g, ' ').trim();
    const [, letter, moves] = /^(?:agent )?([a-z]) ?[:=] ?([a-z]*) ?[.,;]?$/i.exec(plain) ?? [];
    if (letter === undefined || moves === undefined) continue;
    const agent = numberOf(letter);
    if (byAgent.has(agent)) byAgent = new Map();
    byAgent.set(agent, moves);
  }
  return inOrder(byAgent);
}

// The prompt about a lake: the positions, the rules, and the format of the answer. The text is in prompt.txt.

export function promptOf(instance: Instance): string {
  const { size, holes, agents } = instance;
  const at = (cell: Cell): string => `row ${rowOf(cell, size)}, column ${columnOf(cell, size)}`;
  const places = agents.map(({ start, goal }, i) => `Agent ${letter(i)}: start at ${at(start)}; goal at ${at(goal)}.`);
  const holeCells = [...holes.keys()].filter((cell) => holes[cell] === 1);
  const facts: Readonly<Record<string, string>> = {
    size: String(size),
    agents: agents.length === 1 ? 'one agent' : `${agents.length} agents`,
    grid: asciiOf(instance),
    places: places.join('\n'),
    holes: holeCells.length === 0 ? 'There are no holes.' : `Holes: ${holeCells.map(at).join('; ')}.`,
    horizon: String(horizonOf(size)),
    each: agents.length === 1 ? 'agent a' : `each agent, from a to ${letter(agents.length - 1)}`,
    example: JSON.stringify({ plan: agents.map((_, i) => examples[i % examples.length]) }),
  };
  return template().replace(/\{(\w+)\}/g, (place, name: string) => facts[name] ?? place);
}

const letter = (agent: number): string => String.fromCharCode('a'.charCodeAt(0) + agent);

/** Arbitrary moves that show the form, and that agents may have different numbers of moves. */
const examples = ['RRDW', 'DL', 'WUUR', '', 'LWD'] as const;

let read: string | undefined;

function template(): string {
  read ??= readFileSync(new URL('./prompt.txt', import.meta.url), 'utf8').trimEnd();
  return read;
}

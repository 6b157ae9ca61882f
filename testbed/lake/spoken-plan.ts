// Finds the plan in what was said: JSON or a line an agent, within fences or prose. What stands in it is taken as it is,
// and whether it can be meant is for others to say: no move is ever guessed.

import { readFileSync } from 'node:fs';
import { type Json, jsonIn } from '../../src/library/plugins/tools.ts';
import { asciiOf } from './ascii.ts';
import { type Cell, columnOf, horizonOf, type Instance, rowOf } from './instance.ts';

/** What is to be judged: the plan that stands last in a text, the text itself where there is none. */
export function spokenPlan(answer: unknown): unknown {
  if (typeof answer !== 'string') return answer;
  const values = jsonIn(answer);
  return last(values, (value) => namedPlan(value)) ?? last(values, barePlan) ?? linesPlan(answer) ?? answer;
}

function last(values: readonly Json[], read: (value: Json) => Json | undefined): Json | undefined {
  return values.map(read).findLast((plan) => plan !== undefined);
}

/** Deeper within something else, nobody means a plan. */
const deepest = 4;

/** `{"plan": ...}`, also within something else. */
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
  const told = Object.entries(value).map(([key, moves]) => [agentIn(key), moves] as const);
  return told.some(([agent]) => agent === undefined) ? undefined : inOrder(new Map(told));
}

function agentIn(key: string): number | undefined {
  const [, letter] = /^(?:agent[ _-]?)?([a-z])$/i.exec(key.trim()) ?? [];
  return letter === undefined ? undefined : numberOf(letter);
}

const numberOf = (letter: string): number => letter.toLowerCase().charCodeAt(0) - 'a'.charCodeAt(0);

/** From the first agent on, none left out: whose moves those of a later one are would be a guess. */
function inOrder<Moves>(told: ReadonlyMap<number | undefined, Moves>): Moves[] | undefined {
  const moves: Moves[] = [];
  for (let agent = 0; agent < told.size; agent++) {
    const found = told.get(agent);
    if (found === undefined) return undefined;
    moves.push(found);
  }
  return moves.length === 0 ? undefined : moves;
}

/** `Agent a: RRD`, one a line, decorated or not. Where an agent has a second line, a second plan begins. */
function linesPlan(text: string): string[] | undefined {
  let told = new Map<number, string>();
  for (const line of text.split('\n')) {
    const plain = line.replace(/[\s*_`"'#>|-]+/g, ' ').trim();
    const [, letter, moves] = /^(?:agent )?([a-z]) ?[:=] ?([a-z]*) ?[.,;]?$/i.exec(plain) ?? [];
    if (letter === undefined || moves === undefined) continue;
    const agent = numberOf(letter);
    if (told.has(agent)) told = new Map();
    told.set(agent, moves);
  }
  return inOrder(told);
}

// What a policy that reads is told about a lake: where everything is, what is allowed, and how to write the answer. The
// words stand in prompt.txt.

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

/** Nobody's way: they show the form, and that agents may make different numbers of moves. */
const examples = ['RRDW', 'DL', 'WUUR', '', 'LWD'] as const;

let read: string | undefined;

function template(): string {
  read ??= readFileSync(new URL('./prompt.txt', import.meta.url), 'utf8').trimEnd();
  return read;
}

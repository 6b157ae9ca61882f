// What a policy that reads is told about a lake: where everything is, what is allowed, and how to write the answer. The
// words stand in prompt.txt.
import { readFileSync } from 'node:fs';
import { asciiOf } from './ascii.ts';
import { type Cell, columnOf, horizonOf, type Instance, rowOf } from './instance.ts';

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

// Lines for tests of the lake's commands: instances as programs exchange them.

import { Random } from '../../../src/lab/random.ts';
import { fromAscii } from '../../lake/ascii.ts';
import type { Instance } from '../../lake/instance.ts';
import { lineOf } from '../../lake/line.ts';
import { randomTask } from '../../lake/testing/random-tasks.ts';

/** Two agents with crossing paths; the optimal cost is 6, and 8 with a detour. */
export const crossing = drawn('a. .B ..', '.. .. ..', '.. b. .A');

/** Two agents that would have to pass each other without room to do so. */
export const corridor = drawn('## ## ##', 'aB .. bA', '## ## ##');

/** The same with a bay: one agent has to wait in it, or for the other. */
export const bay = drawn('## .. ##', 'aB .. bA', '## ## ##');

/** Two agents head-on, and enough others that their joint positions are too many to enumerate. */
export const headOn = drawn(
  'aB .. .. .. .. .. .. bA',
  '.. .. .. .. .. .. .. ..',
  '.. .. .. .. .. .. .. ..',
  '.. .. .. .. .. .. .. ..',
  'c. .C .. .. d. .D .. ..',
  '.. .. .. .. .. .. .. ..',
  '.. .. .. .. .. .. .. ..',
  'e. .E .. .. f. .F .. ..',
);

function drawn(...rows: readonly string[]): Instance {
  return fromAscii(rows.join('\n'));
}

export function line(instance: Instance, more: Readonly<Record<string, unknown>> = {}): string {
  return `${JSON.stringify({ ...lineOf(instance), ...more })}\n`;
}

/** Small lakes with plans of all sorts. */
export function randomLines(count: number, seed: string): readonly string[] {
  const random = new Random(seed, 'lines');
  return Array.from({ length: count }, (_, i) => {
    const { instance, plan, truncated } = randomTask(random);
    return line({ ...instance, id: `lake-${i}` }, { plan, truncated });
  });
}

/** A large lake with many agents, where finding the optimum takes practically forever. */
export const endless: Instance = {
  size: 32,
  holes: new Uint8Array(32 ** 2),
  agents: Array.from({ length: 26 }, (_, i) => ({ start: 32 * 15 + i, goal: 32 * 15 + (25 - i) })),
};

// Lines for tests of the lake's commands: instances as programs hand them over.

import { Random } from '../../../src/lab/random.ts';
import { fromAscii } from '../../lake/ascii.ts';
import type { Instance } from '../../lake/instance.ts';
import { lineOf } from '../../lake/line.ts';
import { randomTask } from '../../lake/testing/random-tasks.ts';

/** Two agents whose ways cross; optimal at 6, and 8 where one goes back and forth. */
export const crossing = drawn('a. .B ..', '.. .. ..', '.. b. .A');

/** Two agents who want to pass each other where there is no room to. */
export const corridor = drawn('## ## ##', 'aB .. bA', '## ## ##');

/** The same with a bay: somebody has to wait in it, or for the other. */
export const bay = drawn('## .. ##', 'aB .. bA', '## ## ##');

/** Two agents face to face, and enough others that their joint places are too many to look at. */
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

/** So many agents on so large a lake that looking for the optimum takes for ever. */
export const endless: Instance = {
  size: 32,
  holes: new Uint8Array(32 ** 2),
  agents: Array.from({ length: 26 }, (_, i) => ({ start: 32 * 15 + i, goal: 32 * 15 + (25 - i) })),
};

// Digests of instances: which tasks are the same. Pools of tasks are kept apart by them, and events carry them.
import { hash } from 'node:crypto';
import { type Cell, type Instance, pairOf } from './instance.ts';
import { representativeOf } from './symmetry.ts';

/** SHA-256 of the canonical JSON of the instance's line, without its id and with its holes in the order of cells. */
export function digestOf(instance: Instance): string {
  return hash('sha256', canonicalLine(instance));
}

/** Equal for instances that are the same turned, mirrored or with agents renumbered, and for no others. */
export function symmetryDigestOf(instance: Instance): string {
  return digestOf(representativeOf(instance));
}

/** What canonicalJson makes of the line, put together from texts of cells: every draw of a generator has its digest. */
function canonicalLine({ size, holes, agents }: Instance): string {
  const cells = cellTexts(size);
  let text = '{"agents":[';
  for (const [i, { start, goal }] of agents.entries()) {
    text += `${i === 0 ? '' : ','}{"goal":${cells[goal]},"start":${cells[start]}}`;
  }
  text += '],"holes":[';
  let separator = '';
  for (let cell = 0; cell < holes.length; cell++) {
    if (holes[cell] !== 1) continue;
    text += separator + (cells[cell] as string);
    separator = ',';
  }
  return `${text}],"size":${size}}`;
}

const known: (readonly string[])[] = [];

/** `[row,column]` by cell. */
function cellTexts(size: number): readonly string[] {
  known[size] ??= Array.from({ length: size ** 2 }, (_, cell: Cell) => JSON.stringify(pairOf(cell, size)));
  return known[size];
}

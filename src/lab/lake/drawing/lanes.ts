// Every agent's trail runs in a lane of its own within the cells, so that trails on the same way lie side by side. Agents
// that keep out of each other's way share a lane: the fewer lanes, the clearer the picture.
import type { Cell } from '../instance.ts';
import { type Direction, opposite, towards, type Walk, type Walks } from './walk.ts';

export interface Lanes {
  readonly count: number;
  /** By agent. */
  readonly of: readonly number[];
}

/** At most so many lanes; where they are not enough, agents share the one in which they meet least. */
export function lanesOf({ walks, size }: Walks, most: number): Lanes {
  const uses = walks.map((walk) => usesOf(walk, size));
  const lanes: number[] = [];
  for (const [agent, use] of uses.entries()) {
    const meetings = Array.from({ length: most }, () => 0);
    for (let other = 0; other < agent; other++) {
      const lane = lanes[other] as number;
      meetings[lane] = (meetings[lane] as number) + meetingsOf(use, uses[other] as Use);
    }
    lanes.push(meetings.indexOf(Math.min(...meetings)));
  }
  return { count: Math.max(...lanes) + 1, of: lanes };
}

/** By cell: the sides an agent enters or leaves it by, and whether something else of it stands there, as bits. */
type Use = ReadonlyMap<Cell, number>;

const sides: Readonly<Record<Direction, number>> = { U: 1, R: 2, D: 4, L: 8 };
const stays = 16;
const upright = 5;
const level = 10;

function usesOf({ visits, goal }: Walk, size: number): Use {
  const use = new Map<Cell, number>();
  const add = (cell: Cell, bits: number) => use.set(cell, (use.get(cell) ?? 0) | bits);
  add(goal, stays);
  visits.forEach(({ cell, waits, bumps }, i) => {
    const before = visits[i - 1];
    if (before === undefined || i === visits.length - 1 || waits > 0) add(cell, stays);
    for (const bump of bumps) add(cell, sides[bump.towards] | stays);
    if (before === undefined) return;
    const way = towards(before.cell, cell, size);
    add(before.cell, sides[way]);
    add(cell, sides[opposite[way]]);
  });
  return use;
}

/** Cells in which two trails could be mistaken for each other. Crossing at a right angle, they can not. */
function meetingsOf(use: Use, other: Use): number {
  let meetings = 0;
  for (const [cell, bits] of use) {
    const others = other.get(cell);
    if (others === undefined) continue;
    const cross = (bits === upright && others === level) || (bits === level && others === upright);
    if (!cross) meetings++;
  }
  return meetings;
}

// The line an agent's trail takes: from cell to cell in its lane, and beside itself where it goes a way a second time.
import type { Lanes } from '../lanes.ts';
import { type Direction, towards, type Visit, type Walk } from '../walk.ts';
import type { Grid, Point } from './ground.ts';

/** One step on the line. */
export interface Stretch {
  readonly direction: Direction;
  /** How far beside the middle of its cells it runs: to the right, and down. */
  readonly shift: number;
  /** The step at which it is walked. */
  readonly step: number;
}

/** How far from the middle a lane may lie, as a share of a cell. */
const reach = 0.2;
const widestApart = 0.175;

/** How far beside the middle of its cells an agent's lane runs. */
export function shiftOf(agent: number, { count, of }: Lanes, { tile }: Grid): number {
  return ((of[agent] as number) - (count - 1) / 2) * apart(count) * tile;
}

function apart(lanes: number): number {
  return lanes === 1 ? widestApart : Math.min(widestApart, (2 * reach) / (lanes - 1));
}

export function stretchesOf({ agent, visits }: Walk, lanes: Lanes, grid: Grid): Stretch[] {
  const lane = shiftOf(agent, lanes, grid);
  // Towards the middle, away from the board's edge and from the other lanes' far ends.
  const aside = (lane > 0 ? -1 : 1) * Math.max(0.14, apart(lanes.count) / 2) * grid.tile;
  const walked = new Set<string>();
  let isAside = false;
  return visits.slice(1).map(({ cell, from }, i) => {
    const { cell: before } = visits[i] as Visit;
    const way = `${Math.min(before, cell)}-${Math.max(before, cell)}`;
    if (walked.has(way)) {
      isAside = !isAside;
      walked.clear();
    }
    walked.add(way);
    return { direction: towards(before, cell, grid.size), shift: lane + (isAside ? aside : 0), step: from };
  });
}

export function isLevel(direction: Direction): boolean {
  return direction === 'L' || direction === 'R';
}

/** Which way it goes along its axis. */
export function sense(direction: Direction): 1 | -1 {
  return direction === 'R' || direction === 'D' ? 1 : -1;
}

/** Where the line goes over a cell from one stretch to the next: one point, or two where it changes sides. */
export function turn(middle: Point, into: Stretch, out: Stretch): Point[] {
  const { x, y } = middle;
  if (isLevel(into.direction) !== isLevel(out.direction)) {
    return isLevel(into.direction)
      ? [{ x: x + out.shift, y: y + into.shift }]
      : [{ x: x + into.shift, y: y + out.shift }];
  }
  if (isLevel(into.direction)) {
    return [into, out].map(({ shift }) => ({ x: x + into.shift, y: y + shift }));
  }
  return [into, out].map(({ shift }) => ({ x: x + shift, y: y + into.shift }));
}

/** On the line of a stretch, so far along its direction from the middle of a cell. */
export function along(middle: Point, { direction, shift }: Stretch, far: number): Point {
  const ahead = far * sense(direction);
  return isLevel(direction)
    ? { x: middle.x + ahead, y: middle.y + shift }
    : { x: middle.x + shift, y: middle.y + ahead };
}

/** Where the board ends, seen from a point. */
export function edge({ x, y }: Point, direction: Direction, { left, top, width }: Grid): Point {
  switch (direction) {
    case 'L':
      return { x: left, y };
    case 'R':
      return { x: left + width, y };
    case 'U':
      return { x, y: top };
    case 'D':
      return { x, y: top + width };
  }
}

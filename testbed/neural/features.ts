// The input of an agent's decision: a window of the lake around it, the direction of its goal, its last moves, and the positions of other
// agents, after this step if they have decided already. Every feature is binary; those that never change during a plan are separate,
// because they are computed once per cell.
import type { Cell, Instance } from '../lake/instance.ts';

const reach = 3;

const width = 2 * reach + 1;

const windowCells = width * width;

/** Goals farther away are represented as this far. */
const farthestGoal = 9;

const offsets = 2 * farthestGoal + 1;

/** Up, down, left, right, wait; and none yet. */
export const moves = 5;

const memories = moves + 1;

/** The offset of each kind of feature. */
const at = {
  blocked: 0,
  otherGoal: windowCells,
  goalRow: 2 * windowCells,
  goalColumn: 2 * windowCells + offsets,
  undecided: 2 * windowCells + 2 * offsets,
  leaving: 3 * windowCells + 2 * offsets,
  arriving: 4 * windowCells + 2 * offsets,
  last: 5 * windowCells + 2 * offsets,
  lastButOne: 5 * windowCells + 2 * offsets + memories,
} as const;

export const featureCount = at.lastButOne + memories;

/** The features of agent `a` on `cell` that never change. */
export function staticFeatures({ size, holes, agents }: Instance, a: number, cell: Cell): number[] {
  const row = Math.floor(cell / size);
  const column = cell % size;
  const features: number[] = [];
  for (let y = -reach; y <= reach; y++) {
    for (let x = -reach; x <= reach; x++) {
      const [r, c] = [row + y, column + x];
      const isInside = r >= 0 && r < size && c >= 0 && c < size;
      if (!isInside || holes[r * size + c] === 1) features.push(at.blocked + (y + reach) * width + x + reach);
    }
  }
  agents.forEach(({ goal }, b) => {
    if (b === a) {
      features.push(
        at.goalRow + offsetOf(Math.floor(goal / size) - row),
        at.goalColumn + offsetOf((goal % size) - column),
      );
      return;
    }
    const place = placeIn(goal, row, column, size);
    if (place >= 0) features.push(at.otherGoal + place);
  });
  return features;
}

/** Writes the features of agent `a` that change from step to step, and returns their number. */
export function movingFeatures(
  into: Int16Array,
  size: number,
  a: number,
  now: Int16Array,
  next: Int16Array,
  last: Int8Array,
  lastButOne: Int8Array,
): number {
  const cell = now[a] as Cell;
  const row = Math.floor(cell / size);
  const column = cell % size;
  let count = 0;
  into[count++] = at.last + (last[a] as number);
  into[count++] = at.lastButOne + (lastButOne[a] as number);
  for (let b = 0; b < now.length; b++) {
    if (b === a) continue;
    const place = placeIn(now[b] as Cell, row, column, size);
    if (b > a) {
      if (place >= 0) into[count++] = at.undecided + place;
      continue;
    }
    if (place >= 0) into[count++] = at.leaving + place;
    const will = placeIn(next[b] as Cell, row, column, size);
    if (will >= 0) into[count++] = at.arriving + will;
  }
  return count;
}

/** The maximum number that movingFeatures writes. */
export function maxMoving(agents: number): number {
  return 2 + 2 * (agents - 1);
}

function offsetOf(distance: number): number {
  return Math.max(-farthestGoal, Math.min(farthestGoal, distance)) + farthestGoal;
}

/** The index of a cell in the window around (row, column); -1 if outside. */
function placeIn(cell: Cell, row: number, column: number, size: number): number {
  const y = Math.floor(cell / size) - row + reach;
  const x = (cell % size) - column + reach;
  return y >= 0 && y < width && x >= 0 && x < width ? y * width + x : -1;
}

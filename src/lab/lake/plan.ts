// A joint plan: for every agent the moves it makes, step by step, all agents at the same time. An agent whose moves are
// at an end stays where it is.
import { type Cell, nowhere } from './instance.ts';

/** Up, down, left, right, wait; one letter a step. Empty for an agent that never moves. */
export type Moves = string;

/** One text of moves an agent, in the order of the instance's agents. */
export type Plan = readonly Moves[];

export const moveLetters = 'UDLRW';

const up = 'U'.charCodeAt(0);
const down = 'D'.charCodeAt(0);
const left = 'L'.charCodeAt(0);
const right = 'R'.charCodeAt(0);

/** Where a letter, given by its code, leads to from a cell: `nowhere` when that is off the grid. */
export function moveFrom(cell: Cell, letter: number, size: number): Cell {
  switch (letter) {
    case up:
      return cell < size ? nowhere : cell - size;
    case down:
      return cell >= size * (size - 1) ? nowhere : cell + size;
    case left:
      return cell % size === 0 ? nowhere : cell - 1;
    case right:
      return cell % size === size - 1 ? nowhere : cell + 1;
    default:
      return cell;
  }
}

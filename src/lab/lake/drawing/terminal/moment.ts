// A lake at one moment, two columns a cell: who is on it, and whose goal it is.
import type { Cell, Instance } from '../../instance.ts';
import { goalLetterOf, letterOf } from '../scene.ts';
import { Board, type BoardShape } from './board.ts';
import { alarm, faint, type Ink, inksOf } from './ink.ts';

export interface Moment {
  readonly instance: Instance;
  /** By agent. */
  readonly positions: readonly Cell[];
  /** Where they were a step before; empty at the start. */
  readonly before: readonly Cell[];
  /** Where something failed. */
  readonly marked: readonly Cell[];
}

export function boardOf({ instance, positions, before, marked }: Moment, shape: BoardShape): Board {
  const board = new Board(instance, shape);
  for (let cell = 0; cell < instance.holes.length; cell++) {
    if (instance.holes[cell] === 1) board.hole(cell);
    else board.canvas.write(...board.corner(cell), '∙', faint);
  }
  const busy = new Set(positions);
  before.forEach((cell, agent) => {
    const arrow = arrowBetween(cell, positions[agent] as Cell);
    if (arrow === '' || busy.has(cell)) return;
    board.canvas.write(...board.corner(cell), arrow, inksOf(agent).trail);
    busy.add(cell);
  });
  instance.agents.forEach(({ goal }, agent) => {
    const [column, line] = board.corner(goal);
    board.canvas.write(busy.has(goal) ? column + 1 : column, line, goalLetterOf(agent), inksOf(agent).goal);
  });
  for (const [cell, agents] of occupantsOf(positions)) stand(board, cell, agents, marked.includes(cell));
  board.pointAt(marked);
  return board;
}

function occupantsOf(positions: readonly Cell[]): Map<Cell, number[]> {
  const occupants = new Map<Cell, number[]>();
  positions.forEach((cell, agent) => {
    occupants.set(cell, [...(occupants.get(cell) ?? []), agent]);
  });
  return occupants;
}

/** Two that share a cell hide the goal beneath them; of more than two, the first and how many others. */
function stand(board: Board, cell: Cell, agents: readonly number[], isMarked: boolean): void {
  const [column, line] = board.corner(cell);
  agents.slice(0, 2).forEach((agent, i) => {
    const ink: Ink = isMarked ? alarm : inksOf(agent).body;
    board.canvas.write(column + i, line, letterOf(agent), ink);
  });
  if (agents.length > 2) board.canvas.write(column + 1, line, agents.length > 9 ? '+' : String(agents.length), alarm);
}

function arrowBetween(from: Cell, to: Cell): string {
  if (to === from) return '';
  if (to === from + 1) return '▸';
  if (to === from - 1) return '◂';
  return to > from ? '▾' : '▴';
}

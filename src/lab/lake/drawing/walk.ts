// A plan as drawings need it: for every agent the cells it visits one after the other, how long it stays on each, and
// where it runs against the edge.
import { type Cell, nowhere } from '../instance.ts';
import type { Failure } from '../judgement.ts';
import { moveFrom } from '../plan.ts';
import { positionsOf } from '../plan-paths.ts';
import type { Scene } from './scene.ts';

export type Direction = 'U' | 'D' | 'L' | 'R';

export interface Bump {
  readonly towards: Direction;
  readonly step: number;
}

/** A stay on a cell. */
export interface Visit {
  readonly cell: Cell;
  /** The step that led here: 0 for the start. */
  readonly from: number;
  /** Steps it waited before it went on; 0 on the last visit, where nothing comes after. */
  readonly waits: number;
  /** Steps it tried to leave the grid. */
  readonly bumps: readonly Bump[];
}

export interface Walk {
  readonly agent: number;
  readonly goal: Cell;
  readonly visits: readonly Visit[];
  readonly moves: string;
}

/** The first moment at which something failed. */
export interface Breach {
  readonly step: number;
  readonly failures: readonly Failure[];
  /** Who failed. */
  readonly agents: readonly number[];
  /** Where, the cells of those who failed included. */
  readonly cells: readonly Cell[];
}

export interface Walks {
  readonly size: number;
  /** Steps of the whole plan, as far as they are judged. */
  readonly steps: number;
  /** Null when nothing failed on the way. */
  readonly breach: Breach | null;
  readonly walks: readonly Walk[];
  /** Where every agent is: by step, then by agent. */
  readonly positions: readonly (readonly Cell[])[];
}

export function walksOf({ instance, plan = [], failures = [] }: Scene): Walks {
  const { size, agents } = instance;
  // What is no move stands for a wait, as it is carried out, and never reaches a terminal as it is.
  const drawn = plan.slice(0, agents.length).map((moves) => moves.replace(/[^UDLRW]/g, '?'));
  const positions = positionsOf(instance, drawn);
  const steps = positions.length - 1;
  const walks = agents.map(({ goal }, agent) => {
    const moves = (drawn[agent] ?? '').slice(0, steps);
    const cells = positions.map((at) => at[agent] as Cell);
    return { agent, goal, moves, visits: visitsOf(cells, moves, size) };
  });
  return { size, steps, breach: breachOf(failures, positions), walks, positions };
}

/** What concerns the answer as a whole is no moment of the walk; what lies beyond the last step stands at its end. */
function breachOf(all: readonly Failure[], positions: readonly (readonly Cell[])[]): Breach | null {
  const moments = all.filter(({ step, cell }) => step > 0 || cell !== null);
  if (moments.length === 0) return null;
  const first = Math.min(...moments.map(({ step }) => step));
  const failures = moments.filter(({ step }) => step === first);
  const agents = [...new Set(failures.flatMap((failure) => failure.agents))];
  const step = Math.min(first, positions.length - 1);
  const at = positions[step] as readonly Cell[];
  const cells = [...failures.map(({ cell }) => cell), ...agents.map((agent) => at[agent])];
  return { step, failures, agents, cells: [...new Set(cells.filter((cell) => typeof cell === 'number'))] };
}

function visitsOf(cells: readonly Cell[], moves: string, size: number): Visit[] {
  const visits: Visit[] = [];
  for (let from = 0; from < cells.length; ) {
    const cell = cells[from] as Cell;
    let next = from + 1;
    while (next < cells.length && cells[next] === cell) next++;
    const bumps = bumpsBetween(from, next, cell, moves, size);
    const stayed = next < cells.length ? next - from - 1 - bumps.length : 0;
    visits.push({ cell, from, waits: stayed, bumps });
    from = next;
  }
  return visits;
}

function bumpsBetween(from: number, until: number, cell: Cell, moves: string, size: number): Bump[] {
  const bumps: Bump[] = [];
  for (let step = from + 1; step < until; step++) {
    const towards = moves.charAt(step - 1);
    if (isDirection(towards) && moveFrom(cell, towards.charCodeAt(0), size) === nowhere) bumps.push({ towards, step });
  }
  return bumps;
}

function isDirection(letter: string): letter is Direction {
  return letter === 'U' || letter === 'D' || letter === 'L' || letter === 'R';
}

/** The way from one cell to the one beside it. */
export function towards(from: Cell, to: Cell, size: number): Direction {
  if (to === from + 1) return 'R';
  if (to === from - 1) return 'L';
  return to === from + size ? 'D' : 'U';
}

export const opposite: Readonly<Record<Direction, Direction>> = { U: 'D', D: 'U', L: 'R', R: 'L' };

// A plan in the form that drawings need: for every agent the cells it visits in order, how long it stays on each, and where it bumps
// into the edge.
import { type Cell, columnOf, type Instance, nowhere, rowOf } from '../instance.ts';
import type { Failure } from '../judge.ts';
import { moveFrom, type Plan, positionsOf } from '../plan.ts';

export type Direction = 'U' | 'D' | 'L' | 'R';

interface Bump {
  readonly towards: Direction;
  readonly step: number;
}

/** A stay on a cell. */
export interface Visit {
  readonly cell: Cell;
  /** The step that led here: 0 for the start. */
  readonly from: number;
  /** Steps it waited before it moved on; 0 on the last visit. */
  readonly waits: number;
  /** Steps at which it tried to leave the grid. */
  readonly bumps: readonly Bump[];
}

export interface Walk {
  readonly agent: number;
  readonly goal: Cell;
  readonly visits: readonly Visit[];
  readonly moves: string;
}

/** The first moment of a failure. */
export interface Breach {
  readonly step: number;
  readonly failures: readonly Failure[];
  /** The agents that failed. */
  readonly agents: readonly number[];
  /** The cells involved, including those of the failed agents. */
  readonly cells: readonly Cell[];
}

export interface Walks {
  readonly size: number;
  /** Number of steps of the whole plan, as far as it is judged. */
  readonly steps: number;
  /** Null if nothing failed during the walk. */
  readonly breach: Breach | null;
  readonly walks: readonly Walk[];
  /** The positions of all agents: by step, then by agent. */
  readonly positions: readonly (readonly Cell[])[];
}

export function walksOf({ instance, plan = [], failures = [] }: Scene): Walks {
  const { size, agents } = instance;
  // An invalid move is executed as a wait, and must never reach a terminal.
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

/** A failure of the whole answer has no moment in the walk; a failure beyond the last step is shown at its end. */
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

/** The direction from one cell to a neighbour. */
export function towards(from: Cell, to: Cell, size: number): Direction {
  if (to === from + 1) return 'R';
  if (to === from - 1) return 'L';
  return to === from + size ? 'D' : 'U';
}

export const opposite: Readonly<Record<Direction, Direction>> = { U: 'D', D: 'U', L: 'R', R: 'L' };

// The input of a drawing: a lake, the plan, and its failures.

export interface Scene {
  readonly instance: Instance;
  /** A missing text leaves its agent at the start; texts without an agent are not drawn. */
  readonly plan?: Plan;
  readonly failures?: readonly Failure[];
}

/** An agent's letter: lower case for the agent, upper case for its goal. */
export function letterOf(agent: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + agent);
}

export function goalLetterOf(agent: number): string {
  return letterOf(agent).toUpperCase();
}

// Every agent's trail runs in a track within the cells, so that trails along the same path are side by side. Agents that do not meet
// share a track, because fewer tracks make a clearer picture.

export interface Tracks {
  readonly count: number;
  /** By agent. */
  readonly of: readonly number[];
}

/** More would be too close to distinguish. */
export const maxTracks = 6;

/** At most `most` tracks; if they are not enough, agents share the track with the fewest meetings. */
export function tracksOf({ walks, size }: Walks, most: number): Tracks {
  const uses = walks.map((walk) => usesOf(walk, size));
  const tracks: number[] = [];
  for (const [agent, use] of uses.entries()) {
    const meetings = Array.from({ length: most }, () => 0);
    for (let other = 0; other < agent; other++) {
      const track = tracks[other] as number;
      meetings[track] = (meetings[track] as number) + meetingsOf(use, uses[other] as Use);
    }
    tracks.push(meetings.indexOf(Math.min(...meetings)));
  }
  return { count: Math.max(...tracks) + 1, of: tracks };
}

/** By cell: the sides by which an agent enters or leaves it, and whether something else of it is drawn there, as bits. */
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

/** The number of cells in which two trails could be confused. Trails that cross at a right angle cannot. */
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

// The texts of a drawing: the outcome of each agent, and failures.

/** Further failures are only counted. */
const maxFailures = 6;

/** `step 5: vertex-conflict a, b at row 3, column 4`, one per failure. */
export function failureTexts({ instance, failures = [] }: Scene): readonly string[] {
  const words = failures.slice(0, maxFailures).map((failure) => `${labelOf(failure)}${placeOf(failure, instance)}`);
  const more = failures.length - words.length;
  return more === 0 ? words : [...words, more === 1 ? 'and 1 more failure' : `and ${more} more failures`];
}

/** `step 5: vertex-conflict a, b`. */
function labelOf({ class: name, step, agents }: Failure): string {
  const when = step === 0 ? '' : `step ${step}: `;
  return agents.length === 0 ? `${when}${name}` : `${when}${name} ${agents.map(letterOf).join(', ')}`;
}

function placeOf({ cell }: Failure, { size }: Instance): string {
  return cell === null ? '' : ` at row ${rowOf(cell, size)}, column ${columnOf(cell, size)}`;
}

/** `at A from step 8 on`, or what prevented it. */
export function outcomeText({ agent, goal, visits, moves }: Walk, { holes }: Instance, isAnswered: boolean): string {
  if (!isAnswered) return 'no moves given';
  const last = visits.at(-1) as Visit;
  if (holes[last.cell] === 1) return `in a hole from step ${last.from} on`;
  if (last.cell !== goal) return `does not reach ${goalLetterOf(agent)}`;
  const waits = [...moves.slice(0, last.from)].filter((move) => move === 'W').length;
  const waited = waits === 0 ? '' : `, after ${waits} ${waits === 1 ? 'wait' : 'waits'}`;
  return last.from === 0
    ? `at ${goalLetterOf(agent)} all the time`
    : `at ${goalLetterOf(agent)} from step ${last.from} on${waited}`;
}

/** The instance's id, else a description. */
export function titleOf({ instance: { id, size } }: Scene): string {
  return id ?? `A lake of ${size} x ${size}`;
}

/** `8 x 8, 11 holes, 4 agents, 12 steps`. */
export function summary({ instance: { size, holes, agents }, plan }: Scene, { steps }: Walks): string {
  const count = holes.reduce((sum, hole) => sum + hole, 0);
  const facts = [`${size} x ${size}`, counted(count, 'hole'), counted(agents.length, 'agent')];
  return (plan === undefined ? facts : [...facts, counted(steps, 'step')]).join(', ');
}

/** `valid at cost 34`, if it was judged. */
export function validText({ plan, failures }: Scene, { walks }: Walks): readonly string[] {
  if (plan === undefined || failures?.length !== 0) return [];
  return [`valid at cost ${walks.reduce((sum, { visits }) => sum + (visits.at(-1)?.from ?? 0), 0)}`];
}

/** A description of the whole picture for screen readers. */
export function description(scene: Scene, walks: Walks): string {
  const { instance, plan } = scene;
  const { size, agents } = instance;
  const holes = instance.holes.reduce((sum, hole) => sum + hole, 0);
  const lake = `A lake of ${size} x ${size} cells with ${counted(holes, 'hole')} and ${counted(agents.length, 'agent')}.`;
  const people = walks.walks.map((walk) => {
    const { start, goal } = agents[walk.agent] as Instance['agents'][number];
    const way = `Agent ${letterOf(walk.agent)} from ${cellWords(start, size)} to ${cellWords(goal, size)}`;
    if (plan === undefined) return `${way}.`;
    return `${way}: ${walk.moves === '' ? '' : `${walk.moves}, `}${outcomeText(walk, instance, walk.agent < plan.length)}.`;
  });
  const verdict = [
    ...validText(scene, walks).map((words) => `The plan is ${words}`),
    ...failureTexts(scene).map((words) => `Failure: ${words}`),
  ];
  return [lake, ...people, ...verdict.map((words) => `${words}.`)].join(' ');
}

function cellWords(cell: number, size: number): string {
  return `row ${rowOf(cell, size)}, column ${columnOf(cell, size)}`;
}

function counted(count: number, thing: string): string {
  return `${count === 0 ? 'no' : count} ${thing}${count === 1 ? '' : 's'}`;
}

// Wraps text in lines of at most `most` characters.

/** Breaks at spaces. A word that is too long for a line is cut. */
export function wrapped(words: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of words.split(' ').flatMap((long) => pieces(long, most))) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function pieces(word: string, most: number): string[] {
  return word.length <= most ? [word] : [word.slice(0, most), ...pieces(word.slice(most), most)];
}

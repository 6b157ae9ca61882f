// A lake for the terminal, and for language models: alone, with the trails of a plan, and step by step. Lines have equal width, with one
// column per character. Colour is redundant: letters and signs say the same.
import type { Cell, Instance } from '../instance.ts';
import { Board, type BoardShape } from './terminal-board.ts';
import {
  alarm,
  alarming,
  Canvas,
  faint,
  type Ink,
  inksOf,
  type Page,
  plain,
  said,
  signed,
  stacked,
  tiled,
} from './terminal-canvas.ts';
import { trailsOf } from './terminal-trails.ts';
import {
  failureTexts,
  goalLetterOf,
  letterOf,
  outcomeText,
  type Scene,
  validText,
  type Walk,
  type Walks,
  walksOf,
} from './walk.ts';

/** The lake before the first step. */
export function lakeLines({ instance }: Scene, { colour, width }: Page): string[] {
  const positions = instance.agents.map(({ start }) => start);
  const shape: BoardShape = { cellWidth: 2, cellHeight: 1, hasNumbers: true, isMarked: false };
  const { canvas } = boardOf({ instance, positions, before: [], marked: [] }, shape);
  return stacked([canvas, legend(instance, width)]).lines(colour);
}

/** Every agent's path in one picture, and the outcome. */
export function trailLines(scene: Scene, page: Page): string[] {
  const { colour, width } = page;
  const walks = walksOf(scene);
  const { canvas } = trailsOf(scene.instance, walks, page);
  return stacked([canvas, ...agentLines(scene, walks, width), ...verdict(scene, walks, width)]).lines(colour);
}

/** A picture per step, side by side, up to the first step that failed. */
export function frameLines(scene: Scene, { colour, width }: Page): string[] {
  const walks = walksOf(scene);
  return stacked([framesOf(scene, walks, width), ...verdict(scene, walks, width), legend(scene.instance, width)]).lines(
    colour,
  );
}

// The text below a drawing in a terminal: the legend, the outcome of every agent, and failures.

function legend({ agents, holes }: Instance, width: number): Canvas {
  const last = agents.length - 1;
  const who =
    last === 0 ? 'a the agent, A its goal' : `a-${letterOf(last)} agents, A-${goalLetterOf(last)} their goals`;
  return said(holes.includes(1) ? `${who}, ░░ a hole` : who, width, faint);
}

/** One line per agent; its first failing move is in brackets. Aligned if there is room. */
function agentLines({ instance, plan, failures = [] }: Scene, walks: Walks, width: number): Canvas[] {
  if (plan === undefined) return [];
  const lines = walks.walks.map((walk) => {
    const failed = failures.find(({ step, agents }) => step > 0 && agents.includes(walk.agent));
    return { walk, moves: bracketed(walk, failed?.step), words: outcomeText(walk, instance, walk.agent < plan.length) };
  });
  const [longest, most] = [
    Math.max(...lines.map(({ moves }) => moves.length)),
    Math.max(...lines.map(({ words }) => words.length)),
  ];
  const column = longest + most + 5 <= width ? longest : 0;
  return lines.map(({ walk: { agent }, moves, words }) =>
    signed(letterOf(agent), inksOf(agent).body, `${moves.padEnd(column)}  ${words}`.trimStart(), plain, width),
  );
}

function bracketed({ moves }: Walk, step: number | undefined): string {
  if (step === undefined || step > moves.length) return moves;
  return `${moves.slice(0, step - 1)}[${moves.charAt(step - 1)}]${moves.slice(step)}`;
}

/** That the plan is valid, or its failures. */
function verdict(scene: Scene, walks: Walks, width: number): Canvas[] {
  const failed = failureTexts(scene).map((words) => signed('╳', alarming, words, alarming, width));
  return [...failed, ...validText(scene, walks).map((words) => said(words, width, plain))];
}

// A plan step by step: small pictures in rows, with a frame around the failing one.

function framesOf(scene: Scene, walks: Walks, width: number): Canvas {
  const last = walks.breach?.step ?? walks.steps;
  const frames = Array.from({ length: last + 1 }, (_, step) => frameOf(scene, walks, step));
  return tiled(frames, width, 1);
}

function frameOf({ instance }: Scene, { breach, walks, positions }: Walks, step: number): Canvas {
  const isMarked = step === breach?.step;
  const shape: BoardShape = { cellWidth: 2, cellHeight: 1, hasNumbers: false, isMarked };
  const now = positions[step] as readonly Cell[];
  const before = positions[step - 1] ?? [];
  const board = boardOf({ instance, positions: now, before, marked: isMarked ? breach.cells : [] }, shape);
  for (const { cell, bumps } of walks.flatMap(({ visits }) => visits)) {
    for (const bump of bumps) if (bump.step === step) board.cross(board.corner(cell), bump.towards);
  }
  const title = new Canvas(board.canvas.width, 1);
  title.write(1, 0, `${step === 0 ? 'start' : `step ${step}`}${isMarked ? ' ╳' : ''}`, isMarked ? alarming : faint);
  return stacked([title, board.canvas]);
}

// A lake at one moment, with two columns per cell for agents and goals.

interface Moment {
  readonly instance: Instance;
  /** By agent. */
  readonly positions: readonly Cell[];
  /** Positions one step earlier; empty at the start. */
  readonly before: readonly Cell[];
  /** The cells of a failure. */
  readonly marked: readonly Cell[];
}

function boardOf({ instance, positions, before, marked }: Moment, shape: BoardShape): Board {
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

/** Two agents on one cell hide its goal; of more than two, only the first and the number are shown. */
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

// Trails over the lake: every agent's way as a line in a lane of its own, with an arrow a step, a figure for the steps it
// waited, and a cross where it failed.
import type { Cell, Instance } from '../instance.ts';
import { Board, type BoardShape, type Point, steps, widthOf } from './terminal-board.ts';
import { alarm, type Canvas, faint, type Ink, inksOf, type Page } from './terminal-canvas.ts';
import {
  type Direction,
  goalLetterOf,
  type Lanes,
  lanesOf,
  letterOf,
  opposite,
  towards,
  type Visit,
  type Walk,
  type Walks,
} from './walk.ts';

interface Course {
  readonly board: Board;
  readonly walks: Walks;
  readonly lanes: Lanes;
  /** Points that hold a letter or a figure. */
  readonly signs: Set<string>;
}

/** More lanes than this make a cell larger than anyone wants it. */
const mostLanes = 4;

export function trailsOf(instance: Instance, walks: Walks, { colour, width }: Page): Board {
  const board = new Board(instance, shapeFor(walks, width));
  const course = { board, walks, lanes: lanesOf(walks, lanesIn(board.shape)), signs: new Set<string>() };
  ground(board, instance, walks);
  board.pointAt(walks.breach?.cells ?? []);
  for (const walk of walks.walks) drawLine(course, walk);
  if (!colour) for (const walk of walks.walks) drawLetters(course, walk);
  for (const walk of walks.walks) drawSigns(course, walk);
  return board;
}

const shapes: readonly BoardShape[] = [
  { cellWidth: 8, cellHeight: 4 },
  { cellWidth: 6, cellHeight: 3 },
  { cellWidth: 4, cellHeight: 2 },
  { cellWidth: 2, cellHeight: 1 },
  { cellWidth: 1, cellHeight: 1 },
].map((cell) => ({ ...cell, hasNumbers: true, isMarked: false }));

const smallest = shapes.at(-1) as BoardShape;

/** As many lanes as are needed, as far as there is room for them. */
function shapeFor(walks: Walks, width: number): BoardShape {
  const needed = lanesOf(walks, mostLanes).count;
  const fitting = shapes.filter((shape) => widthOf(walks.size, shape) <= width);
  return fitting.filter((shape) => shape.cellHeight <= Math.max(2, needed))[0] ?? smallest;
}

function lanesIn({ cellWidth, cellHeight }: BoardShape): number {
  return Math.max(1, Math.min(cellHeight, Math.floor(cellWidth / 2)));
}

/** Holes, and a dot on the ice where nobody comes by. */
function ground(board: Board, { holes, agents }: Instance, { walks }: Walks): void {
  const busy = new Set<Cell>([
    ...agents.map(({ goal }) => goal),
    ...walks.flatMap(({ visits }) => visits.map(({ cell }) => cell)),
  ]);
  for (let cell = 0; cell < holes.length; cell++) {
    if (holes[cell] === 1) board.hole(cell);
    else if (!busy.has(cell)) board.canvas.write(...board.middle(cell), '∙', faint);
  }
}

function drawLine(course: Course, walk: Walk): void {
  const { board, walks } = course;
  const strokes = new Strokes();
  let before: Visit | undefined;
  for (const visit of walk.visits) {
    if (before !== undefined) {
      const direction = towards(before.cell, visit.cell, walks.size);
      strokes.step(
        pointOf(course, walk.agent, before.cell),
        direction,
        pitch(board, direction),
        isGhost(walks, visit.from),
      );
    }
    for (const bump of visit.bumps) {
      const point = pointOf(course, walk.agent, visit.cell);
      strokes.step(point, bump.towards, board.toFrame(point, bump.towards), isGhost(walks, bump.step));
    }
    before = visit;
  }
  const { trail, ghost } = inksOf(walk.agent);
  strokes.draw(board.canvas, trail, ghost);
}

function pitch({ shape }: Board, direction: Direction): number {
  return direction === 'L' || direction === 'R' ? shape.cellWidth : shape.cellHeight;
}

/** What comes after the first failure would have happened only. */
function isGhost({ breach }: Walks, step: number): boolean {
  return breach !== null && step > breach.step;
}

/** Where an agent's lane has its middle in a cell. */
function pointOf({ board, lanes }: Course, agent: number, cell: Cell): Point {
  const [column, line] = board.corner(cell);
  const lane = lanes.of[agent] as number;
  return [column + Math.min(2 * lane, board.shape.cellWidth - 1), line + Math.min(lane, board.shape.cellHeight - 1)];
}

function drawSigns(course: Course, walk: Walk): void {
  const { agent, goal, visits } = walk;
  const { board, walks } = course;
  const { body, goal: goalInk, trail } = inksOf(agent);
  const at = (cell: Cell) => pointOf(course, agent, cell);
  sign(course, at((visits[0] as Visit).cell), letterOf(agent), body);
  sign(course, at(goal), goalLetterOf(agent), goalInk);
  for (const { cell, waits, bumps } of visits) {
    if (waits > 0) sign(course, at(cell), waits > 9 ? '+' : String(waits), trail);
    for (const { towards: side } of bumps) board.cross(at(cell), side);
  }
  if (walks.breach?.agents.includes(agent)) {
    sign(course, at(walks.positions[walks.breach.step]?.[agent] as Cell), '╳', alarm);
  }
}

/** Where colours do not tell whose line it is, its letter does on every cell it went straight over and nobody crosses. */
function drawLetters(course: Course, { agent, visits }: Walk): void {
  const { board, walks, lanes } = course;
  const neighbours = walks.walks.filter((other) => other.agent !== agent && lanes.of[other.agent] === lanes.of[agent]);
  for (const { cell } of visits) {
    const [column, line] = pointOf(course, agent, cell);
    const isCrossed = neighbours.some((other) => other.visits.some((visit) => visit.cell === cell));
    if (isCrossed || !'─│'.includes(board.canvas.glyphAt(column, line))) continue;
    board.canvas.write(column, line, letterOf(agent), inksOf(agent).trail);
  }
}

/** On its point, or beside it where that has a sign already. */
function sign({ board, signs }: Course, [column, line]: Point, glyph: string, ink: Ink): void {
  const isTaken = signs.has(`${column},${line}`);
  const x = isTaken && board.shape.cellWidth > 1 ? column + 1 : column;
  signs.add(`${x},${line}`);
  board.canvas.write(x, line, glyph, ink);
}

interface Place {
  arms: number;
  /** Arms that are there in earnest. */
  solid: number;
  arrow: string;
}

const arm: Readonly<Record<Direction, number>> = { U: 1, R: 2, D: 4, L: 8 };

const vertical = 5;

const horizontal = 10;

/** By arms. */
const lines = ' ╵╶╰╷│╭├╴╯─┴╮┤┬┼';

const arrows: Readonly<Record<Direction, string>> = { U: '▴', R: '▸', D: '▾', L: '◂' };

class Strokes {
  readonly #places = new Map<string, Place>();

  /** A step from one point to another, with an arrow just before it arrives. */
  step([column, line]: Point, direction: Direction, length: number, isGhost: boolean): void {
    const [right, down] = steps[direction];
    for (let i = 0; i <= length; i++) {
      const place = this.#at(column + i * right, line + i * down);
      const arms = (i < length ? arm[direction] : 0) | (i > 0 ? arm[opposite[direction]] : 0);
      place.arms |= arms;
      if (!isGhost) place.solid |= arms;
    }
    const [x, y] = [column + Math.max(1, length - 1) * right, line + Math.max(1, length - 1) * down];
    const place = this.#at(x, y);
    place.arrow = isOneWay(place.arrow, direction) ? arrows[direction] : bothWays[direction];
  }

  /** Where lines of two agents cross, the upright one passes over. */
  draw(canvas: Canvas, ink: Ink, ghost: Ink): void {
    for (const [key, place] of this.#places) {
      const [column = 0, line = 0] = key.split(',').map(Number);
      const glyph = glyphOf(place);
      const isOver = (place.arms & vertical) !== 0 || !isUpright(canvas.glyphAt(column, line));
      if (isOver) canvas.write(column, line, glyph, place.solid === 0 ? ghost : ink);
    }
  }

  #at(column: number, line: number): Place {
    const key = `${column},${line}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = { arms: 0, solid: 0, arrow: '' };
    this.#places.set(key, place);
    return place;
  }
}

/** A way that was walked in both directions has no arrow but a double line. */
const bothWays: Readonly<Record<Direction, string>> = { U: '║', D: '║', L: '═', R: '═' };

function isOneWay(arrow: string, direction: Direction): boolean {
  return arrow === '' || arrow === arrows[direction];
}

/** An arrow stands on a straight line only: where one turns, the turn says more. */
function glyphOf({ arms, solid, arrow }: Place): string {
  const isStraight = arms === vertical || arms === horizontal;
  if (arrow !== '' && isStraight) return arrow;
  if (solid === 0 && arms === vertical) return '╎';
  if (solid === 0 && arms === horizontal) return '╌';
  return lines.charAt(arms);
}

function isUpright(glyph: string): boolean {
  return !' ∙░─╌'.includes(glyph);
}

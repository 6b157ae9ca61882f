// Trails over the lake: every agent's path as a line in its own track, with an arrow per step, a number for the steps it waited, and a
// cross where it failed.
import type { Cell, Instance } from '../instance.ts';
import { Board, type BoardShape, type Point, steps, widthOf } from './terminal-board.ts';
import { alarm, type Canvas, faint, type Ink, inksOf, type Page } from './terminal-canvas.ts';
import {
  type Direction,
  goalLetterOf,
  letterOf,
  opposite,
  type Tracks,
  towards,
  tracksOf,
  type Visit,
  type Walk,
  type Walks,
} from './walk.ts';

interface Course {
  readonly board: Board;
  readonly walks: Walks;
  readonly tracks: Tracks;
  /** Points with a letter or a number. */
  readonly signs: Set<string>;
}

/** More tracks would make cells too large. */
const maxTracks = 4;

export function trailsOf(instance: Instance, walks: Walks, { colour, width }: Page): Board {
  const board = new Board(instance, shapeFor(walks, width));
  const course = { board, walks, tracks: tracksOf(walks, tracksIn(board.shape)), signs: new Set<string>() };
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

/** The number of tracks needed, as far as there is room. */
function shapeFor(walks: Walks, width: number): BoardShape {
  const needed = tracksOf(walks, maxTracks).count;
  const fitting = shapes.filter((shape) => widthOf(walks.size, shape) <= width);
  return fitting.filter((shape) => shape.cellHeight <= Math.max(2, needed))[0] ?? smallest;
}

function tracksIn({ cellWidth, cellHeight }: BoardShape): number {
  return Math.max(1, Math.min(cellHeight, Math.floor(cellWidth / 2)));
}

/** Holes, and a dot on ice without trails. */
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

/** Steps after the first failure are hypothetical. */
function isGhost({ breach }: Walks, step: number): boolean {
  return breach !== null && step > breach.step;
}

/** The centre of an agent's track in a cell. */
function pointOf({ board, tracks }: Course, agent: number, cell: Cell): Point {
  const [column, line] = board.corner(cell);
  const track = tracks.of[agent] as number;
  return [column + Math.min(2 * track, board.shape.cellWidth - 1), line + Math.min(track, board.shape.cellHeight - 1)];
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

/** Without colours, a letter identifies the line on every cell it crosses straight and alone. */
function drawLetters(course: Course, { agent, visits }: Walk): void {
  const { board, walks, tracks } = course;
  const neighbours = walks.walks.filter(
    (other) => other.agent !== agent && tracks.of[other.agent] === tracks.of[agent],
  );
  for (const { cell } of visits) {
    const [column, line] = pointOf(course, agent, cell);
    const isCrossed = neighbours.some((other) => other.visits.some((visit) => visit.cell === cell));
    if (isCrossed || !'─│'.includes(board.canvas.glyphAt(column, line))) continue;
    board.canvas.write(column, line, letterOf(agent), inksOf(agent).trail);
  }
}

/** At its point, or next to it if that has a sign already. */
function sign({ board, signs }: Course, [column, line]: Point, glyph: string, ink: Ink): void {
  const isTaken = signs.has(`${column},${line}`);
  const x = isTaken && board.shape.cellWidth > 1 ? column + 1 : column;
  signs.add(`${x},${line}`);
  board.canvas.write(x, line, glyph, ink);
}

interface Place {
  arms: number;
  /** Arms of steps before the failure. */
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

  /** Where lines of two agents cross, the vertical one is on top. */
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

/** A path walked in both directions is a double line without arrows. */
const bothWays: Readonly<Record<Direction, string>> = { U: '║', D: '║', L: '═', R: '═' };

function isOneWay(arrow: string, direction: Direction): boolean {
  return arrow === '' || arrow === arrows[direction];
}

/** Arrows are drawn on straight lines only; at turns, the corner matters more. */
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

// Ice and water: a tile a cell. All tiles of a kind are one path of small squares with thick round edges.
import { type Cell, columnOf, type Instance, rowOf } from '../instance.ts';
import { element, figures, hueOf } from './svg-markup.ts';
import { type Bump, type Direction, type Lanes, towards, type Visit, type Walk, type Walks } from './walk.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where cells lie in a drawing. */
export class Grid {
  readonly size: number;
  /** Width of a cell. */
  readonly tile: number;
  readonly left: number;
  readonly top: number;

  constructor(size: number, tile: number, left: number, top: number) {
    this.size = size;
    this.tile = tile;
    this.left = left;
    this.top = top;
  }

  get width(): number {
    return this.size * this.tile;
  }

  middle(cell: Cell): Point {
    return {
      x: this.left + (columnOf(cell, this.size) + 0.5) * this.tile,
      y: this.top + (rowOf(cell, this.size) + 0.5) * this.tile,
    };
  }
}

export function ground({ holes }: Instance, grid: Grid): string {
  const ice: Cell[] = [];
  const water: Cell[] = [];
  holes.forEach((hole, cell) => {
    (hole === 1 ? water : ice).push(cell);
  });
  return tiles('ice', ice, grid) + tiles('water', water, grid) + waves(water, grid);
}

function tiles(kind: 'ice' | 'water', cells: readonly Cell[], grid: Grid): string {
  if (cells.length === 0) return '';
  const gap = grid.tile * 0.06;
  const edge = grid.tile * 0.3;
  const inner = grid.tile - gap - edge;
  const squares = cells.map((cell) => {
    const { x, y } = grid.middle(cell);
    return `M${figures(x - inner / 2, y - inner / 2)}h${figures(inner)}v${figures(inner)}h${figures(-inner)}z`;
  });
  return element('path', { class: `lake-${kind}`, 'stroke-width': edge, d: squares.join('') });
}

function waves(cells: readonly Cell[], grid: Grid): string {
  if (cells.length === 0) return '';
  const unit = grid.tile / 40;
  const wave = `q${figures(4.5 * unit, -5 * unit, 9 * unit, 0)}t${figures(9 * unit, 0)}`;
  const d = cells.map((cell) => {
    const { x, y } = grid.middle(cell);
    return `M${figures(x - 11 * unit, y - 3 * unit)}${wave}M${figures(x - 6 * unit, y + 6 * unit)}${wave}`;
  });
  return element('path', { class: 'lake-wave', 'stroke-width': 1.8 * unit, d: d.join('') });
}

// Every agent's trail: a line with an arrow a step, dots with a figure where it waits, and faint and dotted what would
// have followed after a failure.

/** Thicknesses and lengths as shares of a cell. */
const thick = 0.075;
const casing = 0.13;
const rounding = 0.24;
/** A trail ends before its goal: outside the ring. */
const beforeGoal = 0.45;

export function trails(walks: Walks, lanes: Lanes, grid: Grid): string {
  return walks.walks.map((walk) => trail(walk, walks, lanes, grid)).join('');
}

/** Something beside the line, and the step it belongs to. */
interface Mark {
  readonly step: number;
  readonly markup: string;
}

function trail(walk: Walk, { breach }: Walks, lanes: Lanes, grid: Grid): string {
  const last = breach?.step ?? Number.POSITIVE_INFINITY;
  const stretches = stretchesOf(walk, lanes, grid);
  const points = pointsOf(walk, stretches, grid);
  const done = stretches.filter(({ step }) => step <= last).length;
  const marks = [...stubs(walk, shiftOf(walk.agent, lanes, grid), grid), ...dots(walk, points, grid)];
  const marksOf = (isGhost: boolean): string =>
    marks.flatMap(({ step, markup }) => (step > last === isGhost ? [markup] : [])).join('');
  const heads = stretches.map((stretch, i) => arrow(stretch, walk.visits[i] as Visit, grid));
  const rest = [...(points[done] ?? []).slice(-1), ...points.slice(done + 1).flat()];
  const happened = line(points.slice(0, done + 1).flat(), grid, true) + arrows(heads.slice(0, done)) + marksOf(false);
  const ghost = line(rest, grid, false) + arrows(heads.slice(done)) + marksOf(true);
  const dotted = { class: 'lake-ghost', 'stroke-dasharray': figures(0.025 * grid.tile, 0.13 * grid.tile) };
  const all = (ghost === '' ? '' : element('g', dotted, ghost)) + happened;
  return all === '' ? '' : element('g', { class: hueOf(walk.agent) }, all);
}

/** By visit. Who never moves has none. */
function pointsOf({ visits, goal }: Walk, stretches: readonly Stretch[], grid: Grid): Point[][] {
  return visits.map(({ cell }, i) => {
    const middle = grid.middle(cell);
    const [into, out] = [stretches[i - 1], stretches[i]];
    if (into !== undefined && out !== undefined) return turn(middle, into, out);
    if (out !== undefined) return [along(middle, out, 0)];
    if (into === undefined) return [];
    const short = cell === goal ? Math.sqrt((beforeGoal * grid.tile) ** 2 - into.shift ** 2) : 0;
    return [along(middle, into, -short)];
  });
}

function line(points: readonly Point[], { tile }: Grid, hasCasing: boolean): string {
  if (points.length < 2) return '';
  const d = curve(points, rounding * tile);
  const under = hasCasing ? element('path', { class: 'lake-casing', 'stroke-width': casing * tile, d }) : '';
  return under + element('path', { class: 'lake-trail', 'stroke-width': thick * tile, d });
}

/** Half-way between two cells; a path. */
function arrow(stretch: Stretch, { cell }: Visit, grid: Grid): string {
  const unit = grid.tile / 40;
  const tip = along(grid.middle(cell), stretch, grid.tile / 2 + 3.5 * unit);
  const [back, half] = [-7 * unit * sense(stretch.direction), 4 * unit];
  const head = isLevel(stretch.direction)
    ? `l${figures(back, -half)}v${figures(2 * half)}z`
    : `l${figures(-half, back)}h${figures(2 * half)}z`;
  return `M${figures(tip.x, tip.y)}${head}`;
}

function arrows(heads: readonly string[]): string {
  return heads.length === 0 ? '' : element('path', { class: 'lake-body', d: heads.join('') });
}

/** With how many steps it waits; beside the start, whose place is taken. */
function dots({ visits }: Walk, points: readonly (readonly Point[])[], grid: Grid): Mark[] {
  const unit = grid.tile / 40;
  return visits.flatMap(({ waits, from }, i) => {
    const [first, last] = [points[i]?.[0], points[i]?.at(-1)];
    if (waits === 0 || first === undefined || last === undefined) return [];
    const aside = i === 0 ? 10 * unit : 0;
    const place = { x: (first.x + last.x) / 2 + aside, y: (first.y + last.y) / 2 - aside };
    return [{ step: from + 1, markup: dot(waits, place, unit) }];
  });
}

function dot(waits: number, { x, y }: Point, unit: number): string {
  const circle = { class: 'lake-body lake-rim', cx: x, cy: y, r: 6 * unit, 'stroke-width': 1.5 * unit };
  const size = (waits > 9 ? 7 : 8.5) * unit;
  const text = { class: 'lake-letter', x, y: y + 3 * unit, 'font-size': size };
  return element('circle', circle) + element('text', text, String(waits));
}

/** Lines to the edge of the board, with a bar across: here it did not go on. */
function stubs({ visits }: Walk, shift: number, grid: Grid): Mark[] {
  return visits.flatMap(({ cell, bumps }) =>
    bumps.map((bump) => ({ step: bump.step, markup: stub(grid.middle(cell), bump, shift, grid) })),
  );
}

function stub(middle: Point, { towards }: Bump, shift: number, grid: Grid): string {
  const from = along(middle, { direction: towards, shift, step: 0 }, 0);
  const to = edge(from, towards, grid);
  const bar = 0.1 * grid.tile;
  const across = isLevel(towards)
    ? `m0 ${figures(-bar)}v${figures(2 * bar)}`
    : `m${figures(-bar, 0)}h${figures(2 * bar)}`;
  const d = `M${figures(from.x, from.y)}L${figures(to.x, to.y)}${across}`;
  return element('path', { class: 'lake-trail', 'stroke-width': thick * grid.tile, d });
}

// The line an agent's trail takes: from cell to cell in its lane, and beside itself where it goes a way a second time.

/** One step on the line. */
interface Stretch {
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

function isLevel(direction: Direction): boolean {
  return direction === 'L' || direction === 'R';
}

/** Which way it goes along its axis. */
function sense(direction: Direction): 1 | -1 {
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
function along(middle: Point, { direction, shift }: Stretch, far: number): Point {
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

// A line through points as a path with its corners rounded.

export function curve(through: readonly Point[], radius: number): string {
  const points = corners(through);
  const [start, ...rest] = points;
  if (start === undefined) return '';
  const parts = rest.map((point, i) => {
    const next = rest[i + 1];
    if (next === undefined) return `L${at(point)}`;
    const before = points[i] as Point;
    const room = Math.min(radius, distance(before, point) / 2, distance(point, next) / 2);
    return `L${at(between(point, before, room))}Q${at(point)} ${at(between(point, next, room))}`;
  });
  return `M${at(start)}${parts.join('')}`;
}

function at({ x, y }: Point): string {
  return figures(x, y);
}

/** Only the points where the line turns, and its ends. */
function corners(points: readonly Point[]): Point[] {
  const kept: Point[] = [];
  for (const point of points) {
    const [before, last] = kept.slice(-2);
    const previous = last ?? before;
    if (previous !== undefined && distance(previous, point) < 0.05) continue;
    if (before !== undefined && last !== undefined && isStraight(before, last, point)) kept.pop();
    kept.push(point);
  }
  return kept;
}

function isStraight(a: Point, b: Point, c: Point): boolean {
  const across = (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
  const ahead = (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y);
  return Math.abs(across) < 0.05 && ahead > 0;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(b.x - a.x, b.y - a.y);
}

/** From one point so far towards another. */
function between(from: Point, to: Point, far: number): Point {
  const share = far / distance(from, to);
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

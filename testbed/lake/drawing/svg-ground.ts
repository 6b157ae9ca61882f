// Ice and water: one tile per cell. All tiles of a kind are one path of small squares with thick rounded edges.
import { type Cell, columnOf, type Instance, rowOf } from '../instance.ts';
import { element, figures, hueOf } from './svg-markup.ts';
import { type Direction, type Tracks, towards, type Visit, type Walk, type Walks } from './walk.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The positions of cells in a drawing. */
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

// Every agent's trail: a line with an arrow per step, dots with a number where it waits, and a faint dotted line for the steps after a
// failure.

/** Thicknesses and lengths as shares of a cell. */
const thick = 0.075;
const casing = 0.13;
const rounding = 0.24;
/** A trail ends before its goal, outside the ring. */
const beforeGoal = 0.45;
/** The maximum distance of a track from the middle of a cell. */
const reach = 0.2;
const widestApart = 0.175;

export function trails(walks: Walks, tracks: Tracks, grid: Grid): string {
  return walks.walks.map((walk) => trail(walk, walks, tracks, grid)).join('');
}

/** The offset of an agent's track to the right of and below the middle of its cells. */
export function shiftOf(agent: number, { count, of }: Tracks, { tile }: Grid): number {
  const apart = count === 1 ? widestApart : Math.min(widestApart, (2 * reach) / (count - 1));
  return ((of[agent] as number) - (count - 1) / 2) * apart * tile;
}

/** A piece of a trail, and the step it belongs to. */
interface Mark {
  readonly step: number;
  readonly markup: string;
}

function trail({ agent, goal, visits }: Walk, { breach, size }: Walks, tracks: Tracks, grid: Grid): string {
  const last = breach?.step ?? Number.POSITIVE_INFINITY;
  const shift = shiftOf(agent, tracks, grid);
  const points = visits.map(({ cell }) => {
    const { x, y } = grid.middle(cell);
    return { x: x + shift, y: y + shift };
  });
  const ways = visits.slice(1).map(({ cell }, i) => towards((visits[i] as Visit).cell, cell, size));
  const marks = visits.flatMap((visit, i): Mark[] => {
    const [point, next, way] = [points[i] as Point, visits[i + 1], ways[i]];
    return [
      ...(next === undefined || way === undefined ? [] : [{ step: next.from, markup: arrow(point, way, grid) }]),
      ...visit.bumps.map((bump) => ({ step: bump.step, markup: stub(point, bump.towards, grid) })),
      ...(visit.waits === 0 ? [] : [{ step: visit.from + 1, markup: dot(visit.waits, point, i === 0, grid) }]),
    ];
  });
  const end = ways.at(-1);
  if (end !== undefined && visits.at(-1)?.cell === goal) points[points.length - 1] = beside(goal, end, shift, grid);
  const done = visits.slice(1).filter(({ from }) => from <= last).length;
  const marksOf = (isGhost: boolean): string =>
    marks.flatMap(({ step, markup }) => (step > last === isGhost ? [markup] : [])).join('');
  const ghost = line(points.slice(done), grid, false) + marksOf(true);
  const dotted = { class: 'lake-ghost', 'stroke-dasharray': figures(0.025 * grid.tile, 0.13 * grid.tile) };
  const happened = line(points.slice(0, done + 1), grid, true) + marksOf(false);
  const all = (ghost === '' ? '' : element('g', dotted, ghost)) + happened;
  return all === '' ? '' : element('g', { class: hueOf(agent) }, all);
}

const vectors: Readonly<Record<Direction, readonly [right: number, down: number]>> = {
  U: [0, -1],
  R: [1, 0],
  D: [0, 1],
  L: [-1, 0],
};

/** Moves a point along a direction, and across it. */
function moved({ x, y }: Point, way: Direction, far: number, across = 0): Point {
  const [right, down] = vectors[way];
  return { x: x + far * right + across * down, y: y + far * down + across * right };
}

/** The point on the ring of a goal where a track meets it. */
function beside(goal: Cell, way: Direction, shift: number, grid: Grid): Point {
  const short = Math.sqrt((beforeGoal * grid.tile) ** 2 - shift ** 2);
  const { x, y } = grid.middle(goal);
  const [right, down] = vectors[way];
  return right === 0 ? { x: x + shift, y: y - short * down } : { x: x - short * right, y: y + shift };
}

/** The edge of the board in a direction from a point. */
export function edge({ x, y }: Point, direction: Direction, { left, top, width }: Grid): Point {
  const [right, down] = vectors[direction];
  return right === 0 ? { x, y: down < 0 ? top : top + width } : { x: right < 0 ? left : left + width, y };
}

/** With rounded corners. */
function line(points: readonly Point[], { tile }: Grid, hasCasing: boolean): string {
  const [start, ...rest] = points;
  if (start === undefined || rest.length === 0) return '';
  const parts = rest.map((point, i) => {
    const [before, next] = [points[i] as Point, rest[i + 1]];
    if (next === undefined) return `L${coordinates(point)}`;
    // Straight on; when it goes back, both are the same.
    if ((before.x === next.x) !== (before.y === next.y)) return '';
    return `L${coordinates(between(point, before, rounding * tile))}Q${coordinates(point)} ${coordinates(between(point, next, rounding * tile))}`;
  });
  const d = `M${coordinates(start)}${parts.join('')}`;
  const under = hasCasing ? element('path', { class: 'lake-casing', 'stroke-width': casing * tile, d }) : '';
  return under + element('path', { class: 'lake-trail', 'stroke-width': thick * tile, d });
}

function coordinates({ x, y }: Point): string {
  return figures(x, y);
}

/** A point at a distance towards another one, at most half-way. */
function between(from: Point, to: Point, far: number): Point {
  const share = Math.min(0.5, far / Math.hypot(to.x - from.x, to.y - from.y));
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

/** Half-way to the next cell. */
function arrow(point: Point, way: Direction, { tile }: Grid): string {
  const unit = tile / 40;
  const [tip, ...back] = [0, -4, 4].map((across) =>
    moved(point, way, tile / 2 + (across === 0 ? 3.5 : -3.5) * unit, across * unit),
  ) as [Point, ...Point[]];
  return element('path', { class: 'lake-body', d: `M${coordinates(tip)}L${back.map(coordinates).join('L')}z` });
}

/** Shows the number of steps it waits; next to the start, whose place is taken. */
function dot(waits: number, point: Point, isStart: boolean, { tile }: Grid): string {
  const unit = tile / 40;
  const aside = isStart ? 10 * unit : 0;
  const [x, y] = [point.x + aside, point.y - aside];
  const circle = { class: 'lake-body lake-rim', cx: x, cy: y, r: 6 * unit, 'stroke-width': 1.5 * unit };
  const text = { class: 'lake-letter', x, y: y + 3 * unit, 'font-size': (waits > 9 ? 7 : 8.5) * unit };
  return element('circle', circle) + element('text', text, String(waits));
}

/** A line to the edge of the board, ending in a bar. */
function stub(point: Point, way: Direction, grid: Grid): string {
  const to = edge(point, way, grid);
  const [one, other] = [-0.1, 0.1].map((across) => moved(to, way, 0, across * grid.tile)) as [Point, Point];
  const d = `M${coordinates(point)}L${coordinates(to)}M${coordinates(one)}L${coordinates(other)}`;
  return element('path', { class: 'lake-trail', 'stroke-width': thick * grid.tile, d });
}

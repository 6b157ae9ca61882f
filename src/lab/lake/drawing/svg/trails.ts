// Every agent's trail: a line with an arrow a step, dots with a figure where it waits, and faint and dotted what would
// have followed after a failure.
import type { Lanes } from '../lanes.ts';
import type { Bump, Visit, Walk, Walks } from '../walk.ts';
import { along, edge, isLevel, type Stretch, sense, shiftOf, stretchesOf, turn } from './course.ts';
import { curve } from './curve.ts';
import type { Grid, Point } from './ground.ts';
import { element, figures } from './markup.ts';
import { hueOf } from './theme.ts';

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

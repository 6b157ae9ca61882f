// Agents as discs with their letter, and goals as rings with the capital letter. At the moment of failure: the positions of agents, the
// cells involved, a cross, and the step.
import type { Cell, Instance } from '../instance.ts';
import { edge, type Grid, type Point, shiftOf } from './svg-ground.ts';
import { element, figures, hueOf } from './svg-markup.ts';
import { type Breach, goalLetterOf, letterOf, type Tracks, type Walk, type Walks } from './walk.ts';

/** As shares of a cell. */
const ring = 0.36;
const disc = 0.27;

export function rings({ agents }: Instance, grid: Grid): string {
  const all = agents.map(({ goal }, agent) => {
    const { x, y } = grid.middle(goal);
    return element('circle', { class: `lake-ring ${hueOf(agent)}`, cx: x, cy: y, r: ring * grid.tile });
  });
  return element('g', { 'stroke-width': 0.065 * grid.tile }, ...all);
}

/** In the ring, or in the corner of the cell if an agent is in the ring. */
export function goalLetters({ agents }: Instance, taken: ReadonlySet<Cell>, grid: Grid): string {
  const all = agents.map(({ goal }, agent) => {
    const { x, y } = grid.middle(goal);
    const unit = grid.tile / 40;
    const place = taken.has(goal)
      ? { x: x + 15 * unit, y: y + 18 * unit, 'font-size': 10 * unit }
      : { x, y: y + 5 * unit, 'font-size': 14 * unit };
    return element('text', { class: `lake-goal ${hueOf(agent)}`, ...place }, goalLetterOf(agent));
  });
  return element('g', { 'stroke-width': 0.08 * grid.tile }, ...all);
}

/** `scale` makes it smaller than an agent at its start. */
export function body(agent: number, { x, y }: Point, { tile }: Grid, scale = 1): string {
  const circle = element('circle', {
    class: `lake-body lake-rim ${hueOf(agent)}`,
    cx: x,
    cy: y,
    r: disc * tile * scale,
    'stroke-width': 0.04 * tile,
  });
  const size = 0.36 * tile * scale;
  return circle + element('text', { class: 'lake-letter', x, y: y + 0.32 * size, 'font-size': size }, letterOf(agent));
}

/** Every agent that has left its start or shares its cell, smaller than at the start. */
export function standing({ walks, positions }: Walks, { step }: Breach, tracks: Tracks, grid: Grid): string {
  const at = positions[step] as readonly Cell[];
  return walks
    .map(({ agent, goal, visits }) => {
      const cell = at[agent] as Cell;
      const company = at.flatMap((other, i) => (other === cell ? [i] : []));
      if (cell === visits[0]?.cell && company.length === 1) return '';
      const shift = cell === goal ? 0 : shiftOf(agent, tracks, grid);
      const { x, y } = grid.middle(cell);
      if (company.length === 1) return body(agent, { x: x + shift, y: y + shift }, grid, 0.68);
      return body(
        agent,
        around({ x, y }, company.indexOf(agent), company.length, grid),
        grid,
        company.length === 2 ? 0.64 : 0.5,
      );
    })
    .join('');
}

/** Separate positions for several agents within one cell. */
export function around({ x, y }: Point, i: number, of: number, { tile }: Grid): Point {
  const angle = Math.PI * (1 + (2 * i) / of);
  const far = (of === 2 ? 0.19 : 0.23) * tile;
  return { x: x + far * Math.cos(angle), y: y + far * Math.sin(angle) };
}

/** Frames around the cells of the failure. */
export function outlines({ cells }: Breach, grid: Grid): string {
  const { tile } = grid;
  const side = 0.98 * tile;
  const all = cells.map((cell) => {
    const { x, y } = grid.middle(cell);
    const box = { x: x - side / 2, y: y - side / 2, width: side, height: side, rx: 0.18 * tile };
    return element('rect', { class: 'lake-glow', ...box }) + element('rect', { class: 'lake-outline', ...box });
  });
  return element('g', { 'stroke-width': 0.065 * tile }, ...all);
}

/**
 * A cross for each failure: between two agents that swap, on the edge that was hit, otherwise in the corner of the cell, except for the
 * first cell, which has a flag.
 */
export function crosses({ failures, step, cells: [flagged] }: Breach, { walks, positions }: Walks, grid: Grid): string {
  const at = positions[step] as readonly Cell[];
  const places = failures.flatMap(({ class: name, agents }) => {
    const cells = agents.map((agent) => at[agent] as Cell);
    if (name === 'swap-conflict') return [halfWay(cells.map((cell) => grid.middle(cell)))];
    if (name === 'off-grid') return agents.flatMap((agent) => edgeHit(walks[agent] as Walk, step, grid));
    return cells.filter((cell) => cell !== flagged).map((cell) => corner(grid.middle(cell), grid));
  });
  const different = new Map(places.map((place) => [figures(place.x, place.y), place]));
  return [...different.values()].map((place) => cross(place, grid)).join('');
}

function edgeHit({ visits }: Walk, step: number, grid: Grid): Point[] {
  return visits.flatMap(({ cell, bumps }) =>
    bumps.filter((bump) => bump.step === step).map(({ towards }) => edge(grid.middle(cell), towards, grid)),
  );
}

function corner({ x, y }: Point, { tile }: Grid): Point {
  return { x: x + 0.42 * tile, y: y - 0.42 * tile };
}

function halfWay(points: readonly Point[]): Point {
  const middle = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return { x: middle(points.map(({ x }) => x)), y: middle(points.map(({ y }) => y)) };
}

function cross(place: Point, { tile }: Grid): string {
  const circle = element('circle', {
    class: 'lake-alarm lake-rim',
    cx: place.x,
    cy: place.y,
    r: 0.19 * tile,
    'stroke-width': 0.05 * tile,
  });
  return circle + strokes(place, 0.075 * tile, 0.06 * tile);
}

function strokes({ x, y }: Point, arm: number, width: number): string {
  const d = `M${figures(x - arm, y - arm)}l${figures(2 * arm, 2 * arm)}m0 ${figures(-2 * arm)}l${figures(-2 * arm, 2 * arm)}`;
  return element('path', { class: 'lake-cross', 'stroke-width': width, d });
}

/** The step, on the frame of the first of the cells; below it in the top row, because the column numbers are above. */
export function flag({ cells: [cell], failures: [failure] }: Breach, grid: Grid): string {
  if (cell === undefined || failure === undefined) return '';
  const unit = grid.tile / 40;
  const words = `step ${failure.step}`;
  const [width, height] = [(22 + 5.4 * words.length) * unit, 15 * unit];
  const { x, y } = grid.middle(cell);
  const top = cell < grid.size ? y + 13 * unit : y - 28 * unit;
  const left = Math.min(Math.max(x - width / 2, grid.left), grid.left + grid.width - width);
  const middle = top + height / 2;
  return [
    element('rect', {
      class: 'lake-alarm lake-rim',
      x: left,
      y: top,
      width,
      height,
      rx: height / 2,
      'stroke-width': 1.5 * unit,
    }),
    strokes({ x: left + 9 * unit, y: middle }, 2.6 * unit, 2 * unit),
    element(
      'text',
      { class: 'lake-letter', x: left + width / 2 + 6 * unit, y: middle + 3.3 * unit, 'font-size': 9.5 * unit },
      words,
    ),
  ].join('');
}

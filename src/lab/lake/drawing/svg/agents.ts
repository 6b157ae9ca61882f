// Agents as discs with their letter, goals as rings with the capital.
import type { Cell, Instance } from '../../instance.ts';
import { goalLetterOf, letterOf } from '../scene.ts';
import type { Grid, Point } from './ground.ts';
import { element } from './markup.ts';
import { hueOf } from './theme.ts';

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

/** In the ring, or in the corner of the cell where somebody stands in the ring. */
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

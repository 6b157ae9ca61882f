// A lake for a page: one <svg> element that needs nothing from elsewhere, drawn for day and for night. The same scene
// gives the same bytes.
import type { Cell } from '../instance.ts';
import { type Lanes, lanesOf } from './lanes.ts';
import type { Scene } from './scene.ts';
import { body, goalLetters, rings } from './svg/agents.ts';
import { crosses, flag, outlines, standing } from './svg/breach.ts';
import { framePictures } from './svg/frames.ts';
import { Grid, ground } from './svg/ground.ts';
import { element } from './svg/markup.ts';
import { page } from './svg/page.ts';
import { trails } from './svg/trails.ts';
import { type Walks, walksOf } from './walk.ts';

/** Small lakes are drawn larger. */
function tileFor(size: number): number {
  return Math.min(64, Math.max(40, Math.floor(320 / size)));
}

/** Of the numbers of rows and columns. */
const numbers = 20;
/** More would lie too close to be told apart. */
const mostLanes = 6;

/** The lake as it is; with a plan, the trails of all agents on it, and where it failed. */
export function lakeSvg(scene: Scene): string {
  const walks = walksOf(scene);
  const { size } = scene.instance;
  const tile = tileFor(size);
  const board = size * tile;
  return page(scene, walks, {
    width: board + numbers,
    height: board + numbers,
    inside: (left, top) => drawn(scene, walks, new Grid(size, tile, left + numbers, top + numbers)),
  });
}

/** Step by step in small pictures, up to the first step that failed. */
export function framesSvg(scene: Scene): string {
  const walks = walksOf(scene);
  return page(scene, walks, framePictures(scene.instance, walks));
}

function drawn({ instance }: Scene, walks: Walks, grid: Grid): string {
  const lanes: Lanes = lanesOf(walks, mostLanes);
  const { breach } = walks;
  const starts = instance.agents.map(({ start }, agent) => startBody(start, agent, walks, grid));
  return [
    axes(grid),
    ground(instance, grid),
    rings(instance, grid),
    trails(walks, lanes, grid),
    goalLetters(instance, passed(walks), grid),
    ...starts,
    ...(breach === null
      ? []
      : [
          outlines(breach, grid),
          standing(walks, breach, lanes, grid),
          crosses(breach, walks, grid),
          flag(breach, grid),
        ]),
  ].join('');
}

/** Faint where somebody else is at the moment that matters. */
function startBody(start: Cell, agent: number, { breach, positions }: Walks, grid: Grid): string {
  const markup = body(agent, grid.middle(start), grid);
  const isTaken = breach !== null && positions[breach.step]?.some((cell, other) => cell === start && other !== agent);
  return isTaken ? element('g', { class: 'lake-past' }, markup) : markup;
}

/** Goals on which an agent starts or over which another goes: their letters make room. */
function passed({ walks }: Walks): ReadonlySet<Cell> {
  const cells = walks.flatMap(({ goal, visits }) =>
    visits.flatMap(({ cell }, i) => (i === 0 || cell !== goal ? [cell] : [])),
  );
  return new Set(cells);
}

function axes(grid: Grid): string {
  const all = Array.from({ length: grid.size }, (_, i) => {
    const column = grid.middle(i);
    const row = grid.middle(i * grid.size);
    return (
      element('text', { x: column.x, y: grid.top - 9 }, String(i)) +
      element('text', { x: grid.left - 13, y: row.y + 3.5 }, String(i))
    );
  });
  return element('g', { class: 'lake-soft', 'font-size': 10, 'text-anchor': 'middle' }, ...all);
}

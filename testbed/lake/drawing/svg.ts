// A lake for a web page: one self-contained <svg> element with light and dark colours. The same scene gives the same bytes.

import type { Cell } from '../instance.ts';
import { body, crosses, flag, goalLetters, outlines, rings, standing } from './svg-agents.ts';
import { Grid, ground, trails } from './svg-ground.ts';
import { element } from './svg-markup.ts';
import { axes, numbers, page, tileFor } from './svg-page.ts';
import { maxTracks, type Scene, tracksOf, type Walks, walksOf } from './walk.ts';

/** The lake; with a plan, the trails of all agents and the failure. */
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

function drawn({ instance }: Scene, walks: Walks, grid: Grid): string {
  const tracks = tracksOf(walks, maxTracks);
  const { breach } = walks;
  const starts = instance.agents.map(({ start }, agent) => startBody(start, agent, walks, grid));
  return [
    axes(grid),
    ground(instance, grid),
    rings(instance, grid),
    trails(walks, tracks, grid),
    goalLetters(instance, isThrough(walks), grid),
    ...starts,
    ...(breach === null
      ? []
      : [
          outlines(breach, grid),
          standing(walks, breach, tracks, grid),
          crosses(breach, walks, grid),
          flag(breach, grid),
        ]),
  ].join('');
}

/** Faint if another agent is there at the moment of failure. */
function startBody(start: Cell, agent: number, { breach, positions }: Walks, grid: Grid): string {
  const markup = body(agent, grid.middle(start), grid);
  const isTaken = breach !== null && positions[breach.step]?.some((cell, other) => cell === start && other !== agent);
  return isTaken ? element('g', { class: 'lake-past' }, markup) : markup;
}

/** Goals on which an agent starts or that another one crosses: their letters move aside. */
function isThrough({ walks }: Walks): ReadonlySet<Cell> {
  const cells = walks.flatMap(({ goal, visits }) =>
    visits.flatMap(({ cell }, i) => (i === 0 || cell !== goal ? [cell] : [])),
  );
  return new Set(cells);
}

// A lake for a web page: one self-contained <svg> element with light and dark colours. The same scene gives the same bytes.

import { hash } from 'node:crypto';
import type { Cell, Instance } from '../instance.ts';
import { around, body, crosses, flag, goalLetters, outlines, rings, standing } from './svg-agents.ts';
import { Grid, ground, trails } from './svg-ground.ts';
import { element, figures, hueOf } from './svg-markup.ts';
import { axes, numbers, type Pictures, page, tileFor } from './svg-page.ts';
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

/** Step by step in small pictures, up to the first step that failed. */
export function framesSvg(scene: Scene): string {
  const walks = walksOf(scene);
  return page(scene, walks, framePictures(scene.instance, walks));
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

// A plan step by step as small pictures in rows; the picture of the failure is framed. Parts that all pictures share are
// defined once.

const gap = 16;
const titleHeight = 20;
/** Wider pages are hard to read. */
const widest = 800;

function framePictures(instance: Instance, walks: Walks): Pictures {
  const tile = instance.size <= 10 ? 22 : 14;
  const count = (walks.breach?.step ?? walks.steps) + 1;
  const side = instance.size * tile;
  const perRow = Math.min(count, Math.max(1, Math.floor((widest + gap) / (side + gap))));
  const rows = Math.ceil(count / perRow);
  const pitch = { across: side + gap, down: side + titleHeight + gap };
  const name = `lake-${hash('sha256', JSON.stringify([instance.size, [...instance.holes], instance.agents])).slice(0, 12)}`;
  const scenery = element(
    'g',
    { id: name },
    ground(instance, new Grid(instance.size, tile, 0, 0)),
    rings(instance, new Grid(instance.size, tile, 0, 0)),
  );
  const frame = (step: number, left: number, top: number): string => {
    const x = left + (step % perRow) * pitch.across;
    const y = top + Math.floor(step / perRow) * pitch.down + titleHeight;
    return picture(instance, walks, step, name, new Grid(instance.size, tile, x, y));
  };
  return {
    width: perRow * pitch.across - gap,
    height: rows * pitch.down - gap,
    inside: (left, top) =>
      element('defs', {}, scenery) + Array.from({ length: count }, (_, step) => frame(step, left, top)).join(''),
  };
}

function picture(instance: Instance, walks: Walks, step: number, scenery: string, grid: Grid): string {
  const at = walks.positions[step] as readonly Cell[];
  const breach = walks.breach?.step === step ? walks.breach : null;
  const moved = walks.positions[step - 1]?.map((from, agent) => tail(from, at[agent] as Cell, agent, grid)) ?? [];
  return [
    element('use', { href: `#${scenery}`, x: grid.left, y: grid.top }),
    title(step, breach !== null, grid),
    ...moved,
    goalLetters(instance, new Set(at), grid),
    breach === null ? '' : outlines(breach, grid),
    ...at.map((cell, agent) => stand(at, cell, agent, grid)),
    breach === null ? '' : framed(grid) + crosses(breach, walks, grid),
  ].join('');
}

function title(step: number, isFailed: boolean, { left, top }: Grid): string {
  const words = step === 0 ? 'start' : `step ${step}`;
  const weight = isFailed ? { 'font-weight': 700 } : {};
  return element(
    'text',
    { class: isFailed ? 'lake-alarm' : 'lake-soft', x: left + 1, y: top - 8, 'font-size': 11.5, ...weight },
    words,
  );
}

/** A line from the previous position. */
function tail(from: Cell, to: Cell, agent: number, grid: Grid): string {
  if (from === to) return '';
  const [start, end] = [grid.middle(from), grid.middle(to)];
  const d = `M${figures(start.x, start.y)}L${figures(end.x, end.y)}`;
  return element('path', { class: `lake-trail lake-tail ${hueOf(agent)}`, 'stroke-width': 0.16 * grid.tile, d });
}

function stand(at: readonly Cell[], cell: Cell, agent: number, grid: Grid): string {
  const company = at.flatMap((other, i) => (other === cell ? [i] : []));
  if (company.length === 1) return body(agent, grid.middle(cell), grid);
  return body(agent, around(grid.middle(cell), company.indexOf(agent), company.length, grid), grid, 0.75);
}

function framed({ left, top, width }: Grid): string {
  const box = { x: left - 4, y: top - 4, width: width + 8, height: width + 8, rx: 6 };
  return element('rect', { class: 'lake-outline', 'stroke-width': 2, ...box });
}

// A lake for a web page: one self-contained <svg> element with light and dark colours. The same scene gives the same bytes.

import { hash } from 'node:crypto';
import { fitted } from '../../../src/library/plugins/tools.ts';
import type { Cell, Instance } from '../instance.ts';
import { around, body, crosses, flag, goalLetters, outlines, rings, standing } from './svg-agents.ts';
import { Grid, ground, trails } from './svg-ground.ts';
import { element, escaped, figure, figures, hueOf, styleFor } from './svg-markup.ts';
import {
  description,
  failureTexts,
  type Scene,
  summary,
  titleOf,
  tracksOf,
  validText,
  type Walks,
  walksOf,
  wrapped,
} from './walk.ts';

/** Small lakes are drawn larger. */
function tileFor(size: number): number {
  return Math.min(64, Math.max(40, Math.floor(320 / size)));
}

/** For the numbers of rows and columns. */
const numbers = 20;
/** More would be too close to distinguish. */
const maxTracks = 6;

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

// The parts around the pictures: the title above, texts below, and the frame.

const margin = 18;
const headHeight = 44;
const captionSize = 12;
const captionPitch = 18;
const titleSize = 16;
/** The average width of a letter as a share of the font size, slightly overestimated. */
const letterWidth = 0.54;
const boldWidth = 0.62;

/** `inside` draws the pictures at a position; `width` and `height` are theirs. */
interface Pictures {
  readonly width: number;
  readonly height: number;
  readonly inside: (left: number, top: number) => string;
}

/** Narrower pages would break every line of text. */
const narrowest = 338;
/** Larger pages are scaled down. */
const largestShown = 960;

function page(scene: Scene, walks: Walks, { width, height, inside }: Pictures): string {
  const room = Math.max(width, narrowest);
  const captions = captionsOf(scene, walks, room - 20);
  const under = captions.length === 0 ? 0 : 8 + captions.length * captionPitch;
  const [wide, high] = [room + 2 * margin, height + headHeight + under + 2 * margin];
  const shown = Math.min(1, largestShown / wide);
  const top = margin + headHeight;
  return `${element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'lake',
      role: 'img',
      viewBox: `0 0 ${figure(wide)} ${figure(high)}`,
      width: wide * shown,
      height: high * shown,
    },
    element('title', {}, escaped(titleOf(scene))),
    element('desc', {}, escaped(description(scene, walks))),
    element('style', {}, styleFor(scene.instance.agents.length)),
    element('rect', { class: 'lake-page', width: wide, height: high, rx: 10 }),
    head(scene, walks, room),
    inside(margin + (room - width) / 2, top),
    ...captions.map((caption, i) => caption(top + height + 8 + i * captionPitch)),
  )}\n`;
}

function head(scene: Scene, walks: Walks, room: number): string {
  const title = fitted(titleOf(scene), Math.floor(room / (boldWidth * titleSize)));
  return (
    element(
      'text',
      { class: 'lake-ink', x: margin, y: margin + 14, 'font-size': titleSize, 'font-weight': 700 },
      escaped(title),
    ) +
    element('text', { class: 'lake-soft', x: margin, y: margin + 32, 'font-size': 12 }, escaped(summary(scene, walks)))
  );
}

/** The signs of captions, as paths. */
const cross = 'm0 -3.5l7 7m0-7l-7 7';
const tick = 'm0 .5l3 3 5-7';

/** The failures line by line, or that there are none. */
function captionsOf(scene: Scene, walks: Walks, room: number): readonly ((y: number) => string)[] {
  const all = [
    ...failureTexts(scene).map((words) => ({ words, kind: 'lake-alarm', stroke: 'lake-outline', sign: cross })),
    ...validText(scene, walks).map((words) => ({ words, kind: 'lake-ink', stroke: 'lake-tick', sign: tick })),
  ];
  return all.flatMap(({ words, kind, stroke, sign }) =>
    wrapped(words, Math.floor(room / (letterWidth * captionSize))).map((line, i) => (y: number) => {
      const d = `M${figures(margin + 2, y + 10.5)}${sign}`;
      const drawn = element('path', { class: stroke, 'stroke-width': 2, 'stroke-linecap': 'round', d });
      const text = { class: kind, x: margin + 18, y: y + 15, 'font-size': captionSize };
      return (i === 0 ? drawn : '') + element('text', text, escaped(line));
    }),
  );
}

// A plan step by step: small pictures in rows, with a frame around the failing one. Their common parts are written once.

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

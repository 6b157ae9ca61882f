// A plan step by step: as one page of small pictures, or as single pictures of the same size for a page that steps through it. Both
// end with the first step that failed, which is marked.

import { hash } from 'node:crypto';
import type { Frame } from '../../../src/library/plugins/tools.ts';
import type { Cell, Instance } from '../instance.ts';
import type { FailureClass } from '../judge.ts';
import { around, body, crosses, goalLetters, outlines, rings } from './svg-agents.ts';
import { Grid, ground } from './svg-ground.ts';
import { element, escaped, figures, hueOf } from './svg-markup.ts';
import { axes, bare, numbers, type Pictures, page, tileFor } from './svg-page.ts';
import { failureTexts, goalLetterOf, letterOf, type Scene, type Walks, walksOf } from './walk.ts';

/** Step by step in small pictures, up to the first step that failed. */
export function framesSvg(scene: Scene): string {
  const walks = walksOf(scene);
  return page(scene, walks, framePictures(scene.instance, walks));
}

/** The same as one picture per step, with what happens in it. */
export function lakeFrames(scene: Scene): readonly Frame[] {
  const walks = walksOf(scene);
  const { instance } = scene;
  const tile = tileFor(instance.size);
  const margin = 8;
  const grid = new Grid(instance.size, tile, margin + numbers, margin + numbers);
  const side = instance.size * tile + numbers + 2 * margin;
  const scenery = axes(grid) + ground(instance, grid) + rings(instance, grid);
  return Array.from({ length: lastStep(walks) + 1 }, (_, step) => {
    const says = captionOf(scene, walks, step);
    const inside = scenery + moment(instance, walks, step, grid);
    return { svg: bare(instance, { width: side, height: side, title: escaped(says), inside }), says };
  });
}

function lastStep({ breach, steps }: Walks): number {
  return breach?.step ?? steps;
}

// Small pictures in rows; the picture of the failure is framed. Parts that all pictures share are defined once.

const gap = 16;
const titleHeight = 20;
/** Wider pages are hard to read. */
const widest = 800;

function framePictures(instance: Instance, walks: Walks): Pictures {
  const tile = instance.size <= 10 ? 22 : 14;
  const count = lastStep(walks) + 1;
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
  return [
    element('use', { href: `#${scenery}`, x: grid.left, y: grid.top }),
    title(step, walks.breach?.step === step, grid),
    moment(instance, walks, step, grid, framed(grid)),
  ].join('');
}

/** The agents after a step, the way they took in it, and the failure, with its mark, if it is the one that failed. */
function moment(instance: Instance, walks: Walks, step: number, grid: Grid, mark = ''): string {
  const at = walks.positions[step] as readonly Cell[];
  const breach = walks.breach?.step === step ? walks.breach : null;
  const moved = walks.positions[step - 1]?.map((from, agent) => tail(from, at[agent] as Cell, agent, grid)) ?? [];
  return [
    ...moved,
    goalLetters(instance, new Set(at), grid),
    breach === null ? '' : outlines(breach, grid),
    ...at.map((cell, agent) => stand(at, cell, agent, grid)),
    breach === null ? '' : mark + crosses(breach, walks, grid),
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

// Captions: what fails in the step, or who reaches a goal and who waits for the others.

/** `step 3: b falls into a hole`. */
function captionOf(scene: Scene, walks: Walks, step: number): string {
  const when = step === 0 ? 'start' : `step ${step}`;
  const events = walks.breach?.step === step ? failuresAt(scene, walks) : movesAt(walks, step);
  return events.length === 0 ? when : `${when}: ${events.join(', ')}`;
}

function movesAt({ walks, steps }: Walks, step: number): readonly string[] {
  const events = walks.flatMap(({ agent, goal, visits }) => {
    const isHere = visits.findLast(({ from }) => from <= step);
    const end = visits.at(-1);
    if (step > 0 && end?.from === step && end.cell === goal)
      return [`${letterOf(agent)} reaches ${goalLetterOf(agent)}`];
    const waits = step > 0 && isHere !== undefined && isHere.from < step && isHere !== end;
    return waits ? [`${letterOf(agent)} waits`] : [];
  });
  const isEnd = step === steps && walks.every(({ goal, visits }) => visits.at(-1)?.cell === goal);
  return isEnd ? [...events, 'every agent is at its goal'] : events;
}

/** In words for one agent, and for several; other failures are labelled as in drawings. */
const verbs: { readonly [Class in FailureClass]?: readonly [one: string, several: string] } = {
  hole: ['falls into a hole', 'fall into holes'],
  'off-grid': ['tries to leave the grid', 'try to leave the grid'],
  'goal-missed': ['does not reach its goal', 'do not reach their goals'],
  horizon: ['has moves left after the last step', 'have moves left after the last step'],
};
/** Failures that agents have with each other. */
const meetings: { readonly [Class in FailureClass]?: string } = {
  'vertex-conflict': 'meet on a cell',
  'swap-conflict': 'swap places',
};

function failuresAt({ instance }: Scene, { breach }: Walks): readonly string[] {
  const failures = breach?.failures ?? [];
  const texts = failures.map((failure) => {
    const { class: name, agents } = failure;
    const [one, several] = verbs[name] ?? [];
    const all = failures.filter((other) => other.class === name).flatMap((other) => other.agents);
    if (one !== undefined) return `${lettersOf(all)} ${all.length === 1 ? one : several}`;
    const meeting = meetings[name];
    if (meeting !== undefined) return `${lettersOf(agents)} ${meeting}`;
    return (failureTexts({ instance, failures: [failure] })[0] ?? name).replace(/^step \d+: /, '');
  });
  return [...new Set(texts)];
}

function lettersOf(agents: readonly number[]): string {
  const letters = agents.map(letterOf);
  return letters.length < 2 ? letters.join('') : `${letters.slice(0, -1).join(', ')} and ${letters.at(-1)}`;
}

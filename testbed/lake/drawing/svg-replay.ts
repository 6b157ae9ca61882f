// An animated plan: agents move step by step, a failure appears at its step, and the animation repeats. It uses CSS only, so that
// it runs in every image; readers who prefer reduced motion see the last step.
import { hash } from 'node:crypto';
import type { Cell } from '../instance.ts';
import { around, body, crosses, flag, goalLetters, outlines, rings } from './svg-agents.ts';
import { Grid, ground, type Point, shiftOf, trails } from './svg-ground.ts';
import { element, figure, figures, hueOf } from './svg-markup.ts';
import { axes, numbers, page, tileFor } from './svg-page.ts';
import { maxTracks, type Scene, type Tracks, tracksOf, type Walks, walksOf } from './walk.ts';

/** In seconds: before the first step, of one step, and after the last. */
const pause = 0.6;
const pace = 0.55;
const hold = 2.4;

interface ReplayOptions {
  /** Pictures with the same number of steps restart together; by default, the number of steps until the plan ends. */
  readonly steps?: number;
}

/** The number of steps until the plan ends, or until it fails. */
export function replaySteps(scene: Scene): number {
  const { breach, steps } = walksOf(scene);
  return breach?.step ?? steps;
}

export function replaySvg(scene: Scene, { steps = replaySteps(scene) }: ReplayOptions = {}): string {
  const walks = walksOf(scene);
  const { size } = scene.instance;
  const tile = tileFor(size);
  const side = size * tile + numbers;
  return page(scene, walks, {
    width: side,
    height: side + barHeight,
    inside: (left, top) => board(scene, walks, new Grid(size, tile, left + numbers, top + numbers), steps),
  });
}

const barHeight = 8;

function board(scene: Scene, walks: Walks, grid: Grid, steps: number): string {
  const { instance, plan } = scene;
  const tracks = tracksOf(walks, maxTracks);
  const { breach } = walks;
  const timing = new Timing(nameOf(scene), replaySteps(scene), steps);
  const failed = breach === null ? '' : [outlines, flag].map((draw) => draw(breach, grid)).join('');
  const moves = walks.walks.map(({ agent }) => walker(agent, walks, tracks, grid, timing));
  const crossed = breach === null ? '' : crosses(breach, walks, grid);
  const drawn = [
    axes(grid),
    ground(instance, grid),
    rings(instance, grid),
    element('g', { class: 'lake-past' }, trails(walks, tracks, grid)),
    goalLetters(instance, new Set(instance.agents.map(({ start }) => start)), grid),
    ...(failed === '' ? [] : [timing.atTheEnd(failed)]),
    ...moves,
    ...(crossed === '' ? [] : [timing.atTheEnd(crossed)]),
    timing.bar(grid, breach !== null),
  ];
  return plan === undefined ? drawn.join('') : element('style', {}, timing.style()) + drawn.join('');
}

/** Pictures on one page share names only if they have the same animation. */
function nameOf({ instance: { size, holes, agents }, plan = [] }: Scene): string {
  return `lake-${hash('sha256', JSON.stringify([size, [...holes], agents, plan])).slice(0, 8)}`;
}

function walker(
  agent: number,
  { positions, breach, walks }: Walks,
  tracks: Tracks,
  grid: Grid,
  timing: Timing,
): string {
  const shift = shiftOf(agent, tracks, grid);
  const goal = walks[agent]?.goal;
  const places = positions.slice(0, timing.last + 1).map((at, step): Point => {
    const cell = at[agent] as Cell;
    const { x, y } = grid.middle(cell);
    const company = at.flatMap((other, i) => (other === cell ? [i] : []));
    if (company.length > 1 && step === breach?.step)
      return around({ x, y }, company.indexOf(agent), company.length, grid);
    return step === 0 || cell === goal ? { x, y } : { x: x + shift, y: y + shift };
  });
  const { x, y } = places.at(-1) as Point;
  const moving = timing.along(agent, places);
  const still = { class: moving, transform: `translate(${figures(x, y)})` };
  return element('g', still, element('g', { class: hueOf(agent) }, body(agent, { x: 0, y: 0 }, grid, 0.8)));
}

/** The keyframes of the animation. */
class Timing {
  readonly last: number;
  readonly #name: string;
  readonly #seconds: number;
  readonly #rules: string[] = [];

  constructor(name: string, last: number, steps: number) {
    this.#name = name;
    this.last = last;
    this.#seconds = pause + Math.max(steps, last) * pace + hold;
  }

  /** The class of an element at these positions, one per step. */
  along(agent: number, places: readonly Point[]): string {
    const name = `${this.#name}-${agent}`;
    const frames = places.flatMap(({ x, y }, step) => {
      const isAlike = (other: Point | undefined): boolean => other?.x === x && other.y === y;
      if (step > 0 && isAlike(places[step - 1]) && isAlike(places[step + 1])) return [];
      const ends = [...(step === 0 ? ['0%'] : []), this.#at(step), ...(step === this.last ? ['100%'] : [])];
      return [`${[...new Set(ends)].join(',')}{transform:translate(${figure(x)}px,${figure(y)}px)}`];
    });
    this.#animate(name, frames, 'ease-in-out');
    return name;
  }

  /** The elements that appear at the last step. */
  atTheEnd(markup: string): string {
    const name = `${this.#name}-end`;
    const at = this.#at(this.last);
    if (!this.#rules.some((rule) => rule.startsWith(`@keyframes ${name}{`)))
      this.#animate(name, [`0%,${at}{opacity:0}`, `${this.#at(this.last + 0.3)},100%{opacity:1}`], 'linear');
    return element('g', { class: name }, markup);
  }

  /** The progress bar below the board. */
  bar({ left, top, width }: Grid, isFailed: boolean): string {
    const name = `${this.#name}-bar`;
    this.#animate(
      name,
      [`0%,${this.#at(0)}{transform:scaleX(0)}`, `${this.#at(this.last)},100%{transform:scaleX(1)}`],
      'linear',
    );
    const rect = element('rect', {
      class: `${name} ${isFailed ? 'lake-alarm' : 'lake-soft'}`,
      width,
      height: 3,
      rx: 1.5,
    });
    return element('g', { transform: `translate(${figures(left, top + width + 4)})` }, rect);
  }

  style(): string {
    return `@media(prefers-reduced-motion:no-preference){${this.#rules.join('')}}`;
  }

  #at(step: number): string {
    return `${Number(((100 * (pause + step * pace)) / this.#seconds).toFixed(2))}%`;
  }

  #animate(name: string, frames: readonly string[], easing: string): void {
    const seconds = Number(this.#seconds.toFixed(2));
    this.#rules.push(
      `@keyframes ${name}{${frames.join('')}}.${name}{animation:${name} ${seconds}s ${easing} infinite}`,
    );
  }
}

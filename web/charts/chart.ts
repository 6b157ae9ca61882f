// The parts of a chart: a caption, a table of its data, and an SVG that works in any document. Charts do not depend on a page:
// their colours are CSS variables of the page, named in colours.ts.
import * as Plot from '@observablehq/plot';
import { ink } from './colours.ts';
import { percent } from './words.ts';

export interface Canvas {
  readonly document: Document;
  /** In CSS pixels. A narrow chart is drawn differently, not scaled down, so that its text stays readable. */
  readonly width: number;
  /** The address that a mark leads to. Without it, marks are no links. */
  readonly link?: (place: Place) => string;
}

/** What a mark of a chart is about. */
export interface Place {
  readonly stage?: number;
  readonly family?: string;
  readonly knob?: string;
  readonly failureClass?: string;
  /** The split of the rollouts that its figure is computed from. */
  readonly split?: string;
}

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

type Legend =
  | { readonly kind: 'series'; readonly entries: readonly { readonly name: string; readonly colour: string }[] }
  | { readonly kind: 'ramp' | 'difference'; readonly from: string; readonly to: string };

export interface Chart {
  readonly title: string;
  /** One sentence on what the chart shows, generated from the data. */
  readonly caption: string;
  /** How to read the chart, for screen readers. */
  readonly description: string;
  /** Half: a chart with little content, of which two fit side by side. */
  readonly room: 'half' | 'whole';
  readonly legend: Legend | null;
  readonly table: Table;
  readonly draw: (canvas: Canvas) => SVGSVGElement;
}

/** Adds what every drawing has in common. */
export function labelled(drawn: Element, { title, description }: Pick<Chart, 'title' | 'description'>): SVGSVGElement {
  const links = drawn.querySelectorAll('a');
  // The links of an image are hidden from screen readers; those of a group are not.
  drawn.setAttribute('role', links.length === 0 ? 'img' : 'group');
  for (const link of links) withName(link);
  // Plot names every group after its kind of mark, which tells nobody anything and is not allowed on a group without a role.
  for (const group of drawn.querySelectorAll('g[aria-label]')) group.removeAttribute('aria-label');
  drawn.setAttribute('aria-label', title);
  drawn.setAttribute('aria-description', description);
  for (const one of drawn.querySelectorAll('*')) withRoundedPlaces(one);
  return drawn as SVGSVGElement;
}

function withName(link: Element): void {
  const label = link.querySelector('[aria-label]')?.getAttribute('aria-label');
  const name = link.querySelector('title')?.textContent ?? label ?? link.textContent ?? '';
  link.setAttribute('aria-label', name);
}

/** Makes the marks of a plot links, if the canvas has addresses. */
export function linked<Datum>(
  { link }: Canvas,
  placeOf: (datum: Datum) => Place,
): { readonly href?: (datum: Datum) => string } {
  return link === undefined ? {} : { href: (datum: Datum) => link(placeOf(datum)) };
}

/** For text that is drawn over a mark, which would receive the clicks on its link. */
export function clickedThrough({ link }: Canvas): { readonly pointerEvents?: 'none' } {
  return link === undefined ? {} : { pointerEvents: 'none' };
}

const places = ['x', 'y', 'x1', 'x2', 'y1', 'y2', 'width', 'height', 'd', 'transform', 'fill-opacity'];

/** Hundredths of a pixel are precise enough; more digits would double the size of a drawing. */
function withRoundedPlaces(element: Element): void {
  for (const name of places) {
    const value = element.getAttribute(name);
    if (value?.includes('.')) {
      element.setAttribute(
        name,
        value.replace(/\d+\.\d{3,}/g, (number) => String(Number(Number(number).toFixed(2)))),
      );
    }
  }
}

const pixelsPerTick = 32;

/** As many as fit, with both ends; evenly spaced, except that the last replaces one that would be too close. */
export function ticksAmong(stages: readonly number[], width: number): readonly number[] {
  const every = Math.max(1, Math.ceil((stages.length * pixelsPerTick) / Math.max(width, 1)));
  const last = stages.length - 1;
  return stages.filter((_, i) => i === last || (i % every === 0 && (i === 0 || last - i >= every)));
}

export function stageAxis(stages: readonly number[], room: number, canvas: Canvas): Plot.Markish {
  return Plot.axisX({
    ticks: ticksAmong(stages, room),
    ...linked(canvas, (stage: number) => ({ stage })),
    tickSize: 0,
    label: 'stage',
    labelAnchor: 'center',
    labelArrow: false,
  });
}

export interface ShareAxes {
  readonly canvas: Canvas;
  readonly stages: readonly number[];
  /** The total width of the stages. */
  readonly room: number;
  readonly ticks: number;
  /** The quantity on the axis. */
  readonly label: string | null;
}

/** Axes of shares over stages, drawn behind the marks. */
export function shareAxes({ canvas, stages, room, ticks, label }: ShareAxes): readonly Plot.Markish[] {
  return [
    Plot.gridY({ ticks, stroke: ink, strokeOpacity: 0.12 }),
    Plot.axisY({
      ticks,
      tickSize: 0,
      tickFormat: (share: number) => percent(share, 0),
      label,
      labelAnchor: 'top',
      labelArrow: false,
    }),
    stageAxis(stages, room, canvas),
  ];
}

/** An invisible first mark. */
export function ground(): Plot.Markish {
  return Plot.ruleY([0], { stroke: ink, strokeOpacity: 0.4 });
}

/** A few stages fit in half the width. */
export function roomOf(stages: readonly number[]): Chart['room'] {
  return stages.length <= 6 ? 'half' : 'whole';
}

const maxStages = 120;
/** More cells cannot be distinguished, and make the page large. */
const maxCells = 1500;

/** The stages to draw: evenly spaced, with both ends, if a chart with this number of rows has no room for all. */
export function drawnStages(stages: readonly number[], rows: number): readonly number[] {
  const most = Math.max(24, Math.min(maxStages, Math.floor(maxCells / Math.max(rows, 1))));
  const every = Math.ceil(stages.length / most);
  return stages.filter((_, i) => i === 0 || (stages.length - 1 - i) % every === 0);
}

/** Whether marks have tooltips: not on a phone, and not if there are too many. Links are always named by them. */
export function isPointedAt({ width, link }: Canvas, marks: number): boolean {
  return link !== undefined || (width > 400 && marks <= 600);
}

/** Wide enough for most fonts. */
const pixelsPerLetter = 7;

/** The width of names beside an axis. */
export function roomFor(names: readonly string[], most: number): number {
  const longest = Math.max(0, ...names.map((name) => name.length));
  return Math.min(most, Math.ceil(longest * pixelsPerLetter) + 14);
}

export function shortened(name: string, pixels: number): string {
  const letters = Math.max(3, Math.floor((pixels - 14) / pixelsPerLetter));
  const all = [...name];
  return all.length <= letters ? name : `${all.slice(0, letters - 1).join('')}…`;
}

/** The style of text in drawings. */
export const plain = { fontFamily: 'inherit', fontSize: '12px', background: 'none', overflow: 'visible' } as const;

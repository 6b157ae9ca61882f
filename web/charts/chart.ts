// What a chart is, wherever it is shown: words for who reads, a table for who does not see it, and an SVG that any
// document can hold. Charts know no page: colours are the page's own, by the names in colours.ts.
import * as Plot from '@observablehq/plot';
import { ink } from './colours.ts';
import { percent } from './words.ts';

export interface Canvas {
  readonly document: Document;
  /** In CSS pixels: a narrow chart is another drawing, not a smaller one, so that its texts stay readable. */
  readonly width: number;
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
  /** One sentence on what is seen, made from the data. */
  readonly caption: string;
  /** How to read it, for who does not see it. */
  readonly description: string;
  /** Half: where there is little to see, two charts stand side by side. */
  readonly room: 'half' | 'whole';
  readonly legend: Legend | null;
  readonly table: Table;
  readonly draw: (canvas: Canvas) => SVGSVGElement;
}

/** What every drawing has in common. */
export function labelled(drawn: Element, { title, description }: Pick<Chart, 'title' | 'description'>): SVGSVGElement {
  drawn.setAttribute('role', 'img');
  drawn.setAttribute('aria-label', title);
  drawn.setAttribute('aria-description', description);
  for (const one of drawn.querySelectorAll('*')) withRoundedPlaces(one);
  return drawn as SVGSVGElement;
}

const places = ['x', 'y', 'x1', 'x2', 'y1', 'y2', 'width', 'height', 'd', 'transform', 'fill-opacity'];

/** A hundredth of a pixel is finer than any eye; written out, the rest is half of a drawing. */
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

const pixelsATick = 32;

/** As many of them as have room, with both ends; evenly spread, but for the last, which takes the place of one it would crowd. */
export function ticksAmong(stages: readonly number[], width: number): readonly number[] {
  const every = Math.max(1, Math.ceil((stages.length * pixelsATick) / Math.max(width, 1)));
  const last = stages.length - 1;
  return stages.filter((_, i) => i === last || (i % every === 0 && (i === 0 || last - i >= every)));
}

export function stageAxis(stages: readonly number[], room: number): Plot.Markish {
  return Plot.axisX({
    ticks: ticksAmong(stages, room),
    tickSize: 0,
    label: 'stage',
    labelAnchor: 'center',
    labelArrow: false,
  });
}

export interface ShareAxes {
  readonly stages: readonly number[];
  /** How wide the stages are altogether. */
  readonly room: number;
  readonly ticks: number;
  /** What it is a share of. */
  readonly label: string | null;
}

/** Of shares over stages: what lies behind the marks. */
export function shareAxes({ stages, room, ticks, label }: ShareAxes): readonly Plot.Markish[] {
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
    stageAxis(stages, room),
  ];
}

/** Nothing, before the marks. */
export function ground(): Plot.Markish {
  return Plot.ruleY([0], { stroke: ink, strokeOpacity: 0.4 });
}

/** So few are as well seen in half the room. */
export function roomOf(stages: readonly number[]): Chart['room'] {
  return stages.length <= 6 ? 'half' : 'whole';
}

const mostStages = 120;
/** More cells than these are seen by nobody, and weigh. */
const mostCells = 1500;

/** Where there are more stages than a chart of so many rows can show apart, some of them, evenly spread, with both ends. */
export function drawnStages(stages: readonly number[], rows: number): readonly number[] {
  const most = Math.max(24, Math.min(mostStages, Math.floor(mostCells / Math.max(rows, 1))));
  const every = Math.ceil(stages.length / most);
  return stages.filter((_, i) => i === 0 || (stages.length - 1 - i) % every === 0);
}

/** Whether marks say what they are to who points at them: not on a telephone, and not in a crowd. */
export function isPointedAt({ width }: Canvas, marks: number): boolean {
  return width > 400 && marks <= 600;
}

/** Of the fonts a page may have, wide enough for most. */
const pixelsALetter = 7;

/** The room that names take beside an axis. */
export function roomFor(names: readonly string[], most: number): number {
  const longest = Math.max(0, ...names.map((name) => name.length));
  return Math.min(most, Math.ceil(longest * pixelsALetter) + 14);
}

export function shortened(name: string, pixels: number): string {
  const letters = Math.max(3, Math.floor((pixels - 14) / pixelsALetter));
  const all = [...name];
  return all.length <= letters ? name : `${all.slice(0, letters - 1).join('')}…`;
}

/** A picture of text is set in this. */
export const plain = { fontFamily: 'inherit', fontSize: '12px', background: 'none', overflow: 'visible' } as const;

// The page around the pictures of a drawing: title, caption, numbers of rows and columns, and frame.
import { truncateText } from '../../../src/library/plugins/tools.ts';
import type { Instance } from '../instance.ts';
import type { Grid } from './svg-ground.ts';
import { element, escaped, figure, figures, styleFor } from './svg-markup.ts';
import { description, failureTexts, type Scene, summary, titleOf, validText, type Walks, wrapped } from './walk.ts';

/** Small lakes are drawn larger. */
export function tileFor(size: number): number {
  return Math.min(64, Math.max(40, Math.floor(320 / size)));
}

/** For the numbers of rows and columns. */
export const numbers = 20;
export function axes(grid: Grid): string {
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

const margin = 18;
const headHeight = 44;
const captionSize = 12;
const captionPitch = 18;
const titleSize = 16;
/** The average width of a letter as a share of the font size, slightly overestimated. */
const letterWidth = 0.54;
const boldWidth = 0.62;

/** `inside` draws the pictures at a position; `width` and `height` are theirs. */
export interface Pictures {
  readonly width: number;
  readonly height: number;
  readonly inside: (left: number, top: number) => string;
}

/** Narrower pages would break every line of text. */
const narrowest = 338;
/** Larger pages are scaled down. */
const largestShown = 960;

export function page(scene: Scene, walks: Walks, { width, height, inside }: Pictures): string {
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

interface Bare {
  readonly width: number;
  readonly height: number;
  /** As markup. */
  readonly title: string;
  readonly inside: string;
}

/** A picture without a heading and captions, which the page around it has. */
export function bare({ agents }: Instance, { width, height, title, inside }: Bare): string {
  const shown = Math.min(1, largestShown / width);
  const size = { viewBox: `0 0 ${figure(width)} ${figure(height)}`, width: width * shown, height: height * shown };
  return element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', class: 'lake', role: 'img', ...size },
    element('title', {}, title),
    element('style', {}, styleFor(agents.length)),
    element('rect', { class: 'lake-page', width, height, rx: 10 }),
    inside,
  );
}

function head(scene: Scene, walks: Walks, room: number): string {
  const title = truncateText(titleOf(scene), Math.floor(room / (boldWidth * titleSize)));
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

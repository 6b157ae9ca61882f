// What stands around the pictures of a drawing: the title above, words below, and the frame of it all.
import type { Scene } from '../scene.ts';
import type { Walks } from '../walk.ts';
import { description, failureWords, praise, summary, titleOf } from '../words.ts';
import { wrapped } from '../wrap.ts';
import { element, escaped, figure, figures } from './markup.ts';
import { styleFor } from './theme.ts';

const margin = 18;
const headHeight = 44;
const captionSize = 12;
const captionPitch = 18;
const titleSize = 16;
/** How wide a letter is on average, as a share of the font's size: rather too much than too little. */
const letterWidth = 0.54;
const boldWidth = 0.62;

/** `inside` draws the pictures, given where they begin; `width` and `height` are theirs. */
export interface Pictures {
  readonly width: number;
  readonly height: number;
  readonly inside: (left: number, top: number) => string;
}

/** Narrower pages would break every line of words. */
const narrowest = 338;
/** Larger pages are shown smaller. */
const largestShown = 960;

export function page(scene: Scene, walks: Walks, { width, height, inside }: Pictures): string {
  const room = Math.max(width, narrowest);
  const captions = [
    ...failureWords(scene).flatMap((words) => captionsOf(words, failed, room - 20)),
    ...praise(scene, walks).flatMap((words) => captionsOf(words, passed, room - 20)),
  ];
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
    ...captions.map((line, i) => caption(line, top + height + 8 + i * captionPitch)),
  )}\n`;
}

function head(scene: Scene, walks: Walks, room: number): string {
  const title = cut(titleOf(scene), room / (boldWidth * titleSize));
  return (
    element(
      'text',
      { class: 'lake-ink', x: margin, y: margin + 14, 'font-size': titleSize, 'font-weight': 700 },
      escaped(title),
    ) +
    element('text', { class: 'lake-soft', x: margin, y: margin + 32, 'font-size': 12 }, escaped(summary(scene, walks)))
  );
}

/** What a caption looks like: the class of its words, and its sign as a class and a path. */
interface Manner {
  readonly words: string;
  readonly sign: string;
  readonly path: string;
}

const failed: Manner = { words: 'lake-alarm', sign: 'lake-outline', path: 'm0 -3.5l7 7m0-7l-7 7' };
const passed: Manner = { words: 'lake-ink', sign: 'lake-tick', path: 'm0 .5l3 3 5-7' };

interface Caption {
  readonly words: string;
  readonly manner: Manner;
  readonly isFirst: boolean;
}

function captionsOf(words: string, manner: Manner, room: number): Caption[] {
  const lines = wrapped(words, Math.floor(room / (letterWidth * captionSize)));
  return lines.map((line, i) => ({ words: line, manner, isFirst: i === 0 }));
}

function caption({ words, manner, isFirst }: Caption, y: number): string {
  const d = `M${figures(margin + 2, y + 10.5)}${manner.path}`;
  const sign = element('path', { class: manner.sign, 'stroke-width': 2, 'stroke-linecap': 'round', d });
  const place = { x: margin + 18, y: y + 15, 'font-size': captionSize };
  return (isFirst ? sign : '') + element('text', { class: manner.words, ...place }, escaped(words));
}

/** To what there is room for. Characters of scripts that are written wide take twice as much. */
function cut(words: string, most: number): string {
  let left = most - 1;
  let kept = '';
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(words)) {
    left -= (segment.codePointAt(0) as number) < firstWide ? 1 : 2;
    if (left < 0) return kept.length + segment.length === words.length ? words : `${kept}…`;
    kept += segment;
  }
  return words;
}

/** Where the wide scripts begin; what is narrow among the rest is given more room than it needs. */
const firstWide = 0x1100;

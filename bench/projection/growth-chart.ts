// One chart of what tables cost as a history grows: times above, sizes below, both axes logarithmic, every point with its
// value and every line with its name beside it. Readable by day and by night.
import { element, escaped, figures } from '../../src/lab/lake/drawing/svg/markup.ts';
import type { Cost } from './growth-cost.ts';
import { bytesInMiB, bytesWords, many, timeWords } from './growth-words.ts';

interface Series {
  readonly name: string;
  readonly of: (cost: Cost) => number;
}

interface Panel {
  readonly title: string;
  readonly words: (value: number) => string;
  readonly series: readonly Series[];
}

const panels: readonly Panel[] = [
  {
    title: 'Time',
    words: timeWords,
    series: [
      { name: 'all tables made anew', of: ({ rebuild }) => rebuild },
      { name: '10,000 new events in an answer', of: ({ visible }) => visible },
      { name: 'statistics of all stages', of: ({ statistics }) => statistics },
      { name: 'one stage of one run', of: ({ stage }) => stage },
    ],
  },
  {
    title: 'Size',
    words: bytesWords,
    series: [
      { name: 'the ledger', of: ({ ledgerBytes }) => ledgerBytes },
      { name: 'its tables', of: ({ tablesBytes }) => tablesBytes },
      { name: 'memory, at most, to make them', of: ({ peakMiB }) => peakMiB * bytesInMiB },
    ],
  },
];

/** Colours by day and by night, told apart by colour-blind eyes; those of a panel go on where the last one's ended. */
const hues = [
  ['#1f4fe0', '#68a4f8'],
  ['#c06c00', '#eda33a'],
  ['#84247a', '#fbb9f0'],
  ['#00602a', '#34e08c'],
  ['#0c84a8', '#6cc4dc'],
  ['#e02a8c', '#fb6c9c'],
  ['#7830cc', '#b49cfc'],
] as const;
const colours = (page: string, ink: string, soft: string, faint: string, night: 0 | 1): string =>
  `.page{fill:${page}}text{fill:${ink};stroke:${page}}.soft{fill:${soft}}.grid{stroke:${faint}}.dot{stroke:${page}}` +
  hues.map((pair, i) => `.line${i}{stroke:${pair[night]}}.dot${i}{fill:${pair[night]}}`).join('');
const style = `text{font:12px ui-sans-serif,system-ui,sans-serif;font-variant-numeric:tabular-nums;paint-order:stroke;stroke-width:4px;stroke-linejoin:round}.title{font-size:16px;font-weight:600}.head,.value{font-weight:600}.end{text-anchor:end}.middle{text-anchor:middle}.line{fill:none;stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round}.dot{stroke-width:2}
${colours('#ffffff', '#16222e', '#5a6b7c', '#e2e8ee', 0)}
@media(prefers-color-scheme:dark){${colours('#0e1721', '#e6eef5', '#94a5b5', '#22303f', 1)}}`;

const width = 820;
const [left, right] = [76, 520];
const [top, high, gap] = [84, 230, 58];
const pitch = 16;

export function growthChart(costs: readonly Cost[]): string {
  const height = top + panels.length * (high + gap) + 8;
  const x = scale(
    costs.map(({ rollouts }) => rollouts),
    left + 34,
    right,
  );
  const hueBefore = (index: number): number =>
    panels.slice(0, index).reduce((sum, { series }) => sum + series.length, 0);
  return `${element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', role: 'img', viewBox: `0 0 ${width} ${height}`, width, height },
    element('title', {}, 'What tables cost as a history grows'),
    element('desc', {}, escaped(spoken(costs))),
    element('style', {}, style),
    element('rect', { class: 'page', width, height, rx: 10 }),
    text('What tables cost as a history grows', 20, 34, 'title'),
    text('by how many rollouts the ledger has; both axes are logarithmic', 20, 54, 'soft'),
    ...panels.map((panel, i) => drawn(panel, costs, x, top + i * (high + gap), hueBefore(i))),
  )}\n`;
}

function drawn({ title, words, series }: Panel, costs: readonly Cost[], x: Scale, above: number, hue: number): string {
  const values = series.flatMap(({ of }) => costs.map(of));
  const decades = decadesOf(values);
  const y = scale([decades[0] ?? 1, Math.max(...values) * 1.5], above + high, above + 14);
  const grid = decades.flatMap((value) => [
    element('path', { class: 'grid', d: `M${figures(left, y(value))}H${right + 12}` }),
    text(words(value), left - 10, y(value) + 4, 'soft end'),
  ]);
  const ticks = costs.map(({ rollouts }) => text(many(rollouts), x(rollouts), above + high + 20, 'soft middle'));
  const lines = series.map(({ of }, i) => {
    const points = costs.map((cost) => figures(x(cost.rollouts), y(of(cost))));
    return element('path', { class: `line line${hue + i}`, d: `M${points.join('L')}` });
  });
  const dots = series.flatMap(({ of }, i) =>
    costs.map((cost) => element('circle', { class: `dot dot${hue + i}`, cx: x(cost.rollouts), cy: y(of(cost)), r: 5 })),
  );
  const labels = costs.flatMap((cost, column) => {
    const isLast = column === costs.length - 1;
    const places = apart(series.map(({ of }) => y(of(cost)) + (isLast ? 4 : -10)));
    return series.flatMap(({ of, name }, i) => {
      const [at, value] = [places[i] ?? 0, words(of(cost))];
      if (!isLast) return [text(value, x(cost.rollouts), at, 'value middle')];
      return [text(value, right + 70, at, 'value end'), text(name, right + 80, at, '')];
    });
  });
  return [text(title, 20, above, 'head'), ...grid, ...ticks, ...lines, ...dots, ...labels].join('');
}

type Scale = (value: number) => number;

/** Logarithmic; a single value stands in the middle. */
function scale(values: readonly number[], from: number, to: number): Scale {
  const [low, far] = [Math.log(Math.min(...values)), Math.log(Math.max(...values))];
  return (value) => (far === low ? (from + to) / 2 : from + ((Math.log(value) - low) / (far - low)) * (to - from));
}

function decadesOf(values: readonly number[]): readonly number[] {
  const [low, far] = [Math.floor(Math.log10(Math.min(...values))), Math.floor(Math.log10(Math.max(...values)))];
  return Array.from({ length: far - low + 1 }, (_, i) => 10 ** (low + i));
}

/** Moves what stands too close just so far that it can be read, around where it belongs. */
function apart(wanted: readonly number[]): readonly number[] {
  const places = [...wanted];
  const order = wanted.map((_, i) => i).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  for (let round = 0; round < 50; round++) {
    for (const [i, lower] of order.entries()) {
      const upper = order[i - 1];
      const overlap = upper === undefined ? 0 : pitch - ((places[lower] ?? 0) - (places[upper] ?? 0));
      if (upper === undefined || overlap <= 0) continue;
      places[upper] = (places[upper] ?? 0) - overlap / 2;
      places[lower] = (places[lower] ?? 0) + overlap / 2;
    }
  }
  return places;
}

function text(words: string, x: number, y: number, as: string): string {
  return element('text', { x, y, class: as }, escaped(words));
}

function spoken(costs: readonly Cost[]): string {
  const all = panels.flatMap(({ series, words }) => series.map((one) => ({ ...one, words })));
  const of = (cost: Cost): string => all.map((one) => `${one.name} ${one.words(one.of(cost))}`).join(', ');
  return costs.map((cost) => `${many(cost.rollouts)} rollouts: ${of(cost)}.`).join(' ');
}

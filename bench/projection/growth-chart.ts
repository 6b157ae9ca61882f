// A chart of the cost of tables as a history grows: times above, sizes below, both axes logarithmic, every point with its value and every line
// with its name. For light and dark pages.
import { element, escaped, figures } from '../../testbed/lake/drawing/svg-markup.ts';
import type { Cost } from './growth-cost.ts';
import { amongDots, besideDots, decadesWithin, type Scale, scale } from './growth-places.ts';
import { bytesInMiB, bytesWords, many, timeWords } from './growth-words.ts';

interface Series {
  readonly name: string;
  /** Its index among the hues. */
  readonly hue: number;
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
      { name: 'rebuild of all tables', hue: 0, of: ({ rebuild }) => rebuild },
      { name: '10,000 new events in an answer', hue: 1, of: ({ visible }) => visible },
      { name: 'statistics of all stages', hue: 2, of: ({ statistics }) => statistics },
      { name: 'one stage of one run', hue: 3, of: ({ stage }) => stage },
    ],
  },
  {
    title: 'Size',
    words: bytesWords,
    series: [
      { name: 'the ledger', hue: 4, of: ({ ledgerBytes }) => ledgerBytes },
      { name: 'its tables', hue: 5, of: ({ tablesBytes }) => tablesBytes },
      { name: 'peak memory of the rebuild', hue: 6, of: ({ peakMiB }) => peakMiB * bytesInMiB },
    ],
  },
];

/** For light and dark pages, distinguishable for colour-blind readers and with enough contrast. */
const hues = [
  ['#1f4fe0', '#68a4f8'],
  ['#a85a00', '#eda33a'],
  ['#84247a', '#fbb9f0'],
  ['#00602a', '#34e08c'],
  ['#0b7496', '#6cc4dc'],
  ['#c41f78', '#fb6c9c'],
  ['#7830cc', '#b49cfc'],
] as const;
const colours = (page: string, ink: string, soft: string, faint: string, night: 0 | 1): string =>
  `.page{fill:${page}}text{fill:${ink};stroke:${page}}.soft{fill:${soft}}.grid{stroke:${faint}}.dot{stroke:${page}}` +
  hues.map((pair, i) => `.line${i}{stroke:${pair[night]}}.fill${i}{fill:${pair[night]}}`).join('');
const style = `text{font:12px ui-sans-serif,system-ui,sans-serif;font-variant-numeric:tabular-nums;paint-order:stroke;stroke-width:4px;stroke-linejoin:round}.title{font-size:16px;font-weight:600}.head,.value{font-weight:600}.end{text-anchor:end}.middle{text-anchor:middle}.line{fill:none;stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round}.dot{stroke-width:2}
${colours('#ffffff', '#16222e', '#5a6b7c', '#e2e8ee', 0)}
@media(prefers-color-scheme:dark){${colours('#0e1721', '#e6eef5', '#94a5b5', '#22303f', 1)}}`;

const heading = 'The cost of tables as a history grows';
const width = 820;
const [left, right] = [76, 520];
const [top, high, gap] = [84, 240, 58];

export function growthChart(costs: readonly Cost[]): string {
  const height = top + panels.length * (high + gap) - 18;
  const sizes = costs.map(({ rollouts }) => rollouts);
  const x = scale(sizes, left + 34, right);
  return `${element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', role: 'img', viewBox: `0 0 ${width} ${height}`, width, height },
    element('title', {}, heading),
    element('desc', {}, escaped(spoken(costs))),
    element('style', {}, style),
    element('rect', { class: 'page', width, height, rx: 10 }),
    text(heading, 20, 34, 'title'),
    text('by the number of rollouts in the ledger; both axes are logarithmic', 20, 54, 'soft'),
    ...panels.map((panel, i) => drawn(panel, costs, x, top + i * (high + gap))),
  )}\n`;
}

function drawn({ title, words, series }: Panel, costs: readonly Cost[], x: Scale, above: number): string {
  const below = above + high;
  const all = series.flatMap(({ of }) => costs.map(of));
  const [low, far] = [Math.min(...all) / 3, Math.max(...all) * 1.6];
  const y = scale([low, far], below, above + 14);
  const grid = decadesWithin(low, far).flatMap((value) => [
    element('path', { class: 'grid', d: `M${figures(left, y(value))}H${right + 12}` }),
    text(words(value), left - 10, y(value) + 4, 'soft end'),
  ]);
  const lines = series.map(({ hue, of }) => {
    const points = costs.map((cost) => figures(x(cost.rollouts), y(of(cost))));
    return element('path', { class: `line line${hue}`, d: `M${points.join('L')}` });
  });
  const dots = series.flatMap(({ hue, of }) =>
    costs.map((cost) => element('circle', { class: `dot fill${hue}`, cx: x(cost.rollouts), cy: y(of(cost)), r: 5 })),
  );
  const values = costs.flatMap((cost, column) => {
    const isLast = column === costs.length - 1;
    const heights = series.map(({ of }) => y(of(cost)));
    const places = isLast ? besideDots(heights) : amongDots(heights, above + 12, below + 4);
    return series.flatMap(({ name, hue, of }, i) => {
      const [value, place] = [words(of(cost)), places[i] ?? below];
      if (!isLast) return [text(value, x(cost.rollouts), place, `value middle fill${hue}`)];
      return [text(value, right + 70, place, `value end fill${hue}`), text(name, right + 80, place, 'name')];
    });
  });
  const ticks = costs.map(({ rollouts }) => text(many(rollouts), x(rollouts), below + 20, 'soft middle'));
  return [text(title, 20, above, 'head'), ...grid, ...lines, ...dots, ...values, ...ticks].join('');
}

function text(words: string, x: number, y: number, as: string): string {
  return element('text', { x, y, class: as }, escaped(words));
}

function spoken(costs: readonly Cost[]): string {
  const all = panels.flatMap(({ series, words }) => series.map((one) => ({ ...one, words })));
  const of = (cost: Cost): string => all.map((one) => `${one.name} ${one.words(one.of(cost))}`).join(', ');
  return costs.map((cost) => `${many(cost.rollouts)} rollouts: ${of(cost)}.`).join(' ');
}

// The blocks of a report as HTML.
import type { Chart, Legend, Table } from '../../../../web/charts/chart.ts';
import type { Block, ChangeRow, Drawn, Inline, Words } from '../document.ts';
import { type Child, h, Markup } from './markup.ts';

/** Draws a chart so wide, in a document of its own. */
export type Drawing = (chart: Chart, width: number) => string;

export function blockMarkup(block: Block, drawing: Drawing): Markup {
  switch (block.kind) {
    case 'text':
      return h('p', {}, wordsMarkup(block.words));
    case 'quote':
      return h('blockquote', {}, block.text);
    case 'list':
      return h('ul', {}, block.items.map(item));
    case 'warnings':
      return h('ul', { class: 'warnings' }, block.items.map(item));
    case 'facts':
      return h(
        'dl',
        { class: 'facts' },
        block.rows.map(([term, words]) => [h('dt', {}, term), h('dd', {}, wordsMarkup(words))]),
      );
    case 'figures':
      return h(
        'dl',
        { class: 'figures' },
        block.figures.map(({ name, value, says }) =>
          h('div', {}, h('dt', {}, name), h('dd', { class: 'value' }, value), h('dd', {}, says)),
        ),
      );
    case 'changes':
      return changesMarkup(block.rows);
    case 'table':
      return block.isFolded
        ? foldedMarkup(block.table, block.caption)
        : tableMarkup(block.table, block.caption, block.wraps);
    case 'drawings':
      return h('div', { class: 'drawings' }, block.drawings.map(drawnMarkup));
    case 'code':
      return h('pre', { class: 'code' }, block.text);
    case 'charts':
      return h(
        'div',
        { class: 'charts' },
        block.charts.map((chart) => chartMarkup(chart, drawing)),
      );
  }
}

function item(words: Words): Markup {
  return h('li', {}, wordsMarkup(words));
}

export function wordsMarkup(words: Words): readonly Child[] {
  return words.map(inlineMarkup);
}

function inlineMarkup(inline: Inline): Child {
  if (typeof inline === 'string') return unbroken(inline);
  const { as, text } = inline;
  if (as === 'strong' || as === 'code') return h(as, {}, text);
  return h('span', { class: as }, text);
}

const moment = /(\d{4}-\d\d-\d\d(?: \d\d:\d\d)?(?: UTC)?)/;

/** A date is not broken at its hyphens. */
function unbroken(text: string): Child {
  return text.split(moment).map((part, i) => (i % 2 === 1 ? h('span', { class: 'moment' }, part) : part));
}

const columns = ['change', 'reason', 'evidence', 'afterwards'] as const;

function changesMarkup(rows: readonly ChangeRow[]): Markup {
  const head = h(
    'thead',
    {},
    h(
      'tr',
      {},
      columns.map((name) => h('th', { scope: 'col' }, name)),
    ),
  );
  const cell = (row: ChangeRow, name: (typeof columns)[number]): Markup =>
    h(
      'td',
      { 'data-name': name },
      row[name].map((line) => h('div', {}, wordsMarkup(line))),
    );
  const body = rows.map((row) =>
    h(
      'tr',
      {},
      columns.map((name) => cell(row, name)),
    ),
  );
  return h('table', { class: 'changes' }, head, h('tbody', {}, body));
}

function tableMarkup({ columns: names, rows }: Table, caption: string, wraps = false): Markup {
  const head = h(
    'tr',
    {},
    names.map((name) => h('th', { scope: 'col' }, name)),
  );
  const body = rows.map(([first = '', ...rest]) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, first),
      rest.map((cell) => h('td', {}, cell)),
    ),
  );
  const table = h('table', { 'aria-evidence id': caption }, h('thead', {}, head), h('tbody', {}, body));
  return h(
    'div',
    { class: wraps ? 'scroll wraps' : 'scroll', tabindex: 0, role: 'region', 'aria-evidence id': caption },
    table,
  );
}

function foldedMarkup(table: Table, caption: string, summary = caption): Markup {
  return h('details', {}, h('summary', {}, summary), tableMarkup(table, caption));
}

function drawnMarkup({ title, says, drawing, from }: Drawn): Markup {
  return h(
    'figure',
    { class: 'drawing' },
    h('figcaption', {}, wordsMarkup(title)),
    says === null ? null : h('p', { class: 'says' }, says),
    h('pre', { style: `--columns:${columnsOf(drawing)}` }, drawing),
    h('p', { class: 'from' }, from),
  );
}

/** So many letters wide it should be readable at once; what says more in a line is scrolled to. */
const mostColumns = 60;

function columnsOf(drawing: string): number {
  return Math.min(mostColumns, Math.max(1, ...drawing.split('\n').map((line) => [...line].length)));
}

/** In CSS pixels: what a page of each kind has room for. */
const widths = { whole: 800, half: 500, narrow: 346 } as const;

function chartMarkup(chart: Chart, drawing: Drawing): Markup {
  const { title, caption, legend, table, room } = chart;
  const drawn = (kind: string, width: number) => h('div', { class: kind }, new Markup(drawing(chart, width)));
  return h(
    'figure',
    { class: `chart ${room}` },
    h('h3', {}, title),
    h('p', { class: 'caption' }, caption),
    legend === null ? null : legendMarkup(legend),
    drawn('wide', widths[room]),
    drawn('narrow', widths.narrow),
    foldedMarkup(table, title, 'As a table'),
  );
}

function legendMarkup(legend: Legend): Markup {
  if (legend.kind === 'ramp') {
    return h('p', { class: 'legend' }, h('span', {}, legend.from, h('i', { class: 'ramp' }), legend.to));
  }
  const entries = legend.entries.map(({ name, colour }) =>
    h('li', {}, h('i', { style: `background:${colour}` }), name),
  );
  return h('ul', { class: 'legend' }, entries);
}

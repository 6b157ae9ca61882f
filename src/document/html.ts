// A document as one self-contained HTML page without network or scripts. Only this file turns the texts of a document into
// HTML, and the page's policy forbids everything else, so that even an unescaped text could not run.
import { parseHTML } from 'linkedom';
import { escapeControlsInLines } from '../base/escape.ts';
import {
  type Block,
  type Branch,
  type Chart,
  type Document,
  type Drawing,
  type Legend,
  pieces,
  plainText,
  type Section,
  type Text,
} from './document.ts';
import { style } from './style.ts';

/** HTML that is escaped already. */
class Markup {
  readonly html: string;

  /** Only icecore's own style and charts, which escape their texts, are trusted. */
  constructor(trusted: string) {
    this.html = trusted;
  }
}

type Child = string | Markup | null | readonly Child[];

const empty = ['meta', 'link', 'img'];

/** An element; its texts and attribute values are escaped. */
function h(tag: string, attributes: Readonly<Record<string, string | number>>, ...children: readonly Child[]): Markup {
  const words = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(String(value))}"`);
  const open = `<${tag}${words.join('')}>`;
  return new Markup(empty.includes(tag) ? open : `${open}${inside(children)}</${tag}>`);
}

function inside(child: Child): string {
  if (child === null) return '';
  if (typeof child === 'string') return escaped(child);
  return child instanceof Markup ? child.html : child.map(inside).join('');
}

/** Control and bidirectional characters are shown as escapes, as on a terminal. */
function escaped(text: string): string {
  return escapeControlsInLines(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** The names of a page. */
export interface PageNames {
  /** The program that made it. */
  readonly generator: string;
  /** The title of its browser tab. */
  readonly tab: string;
}

export function htmlText(
  { title, subtitle = '', blocks, sections, footer }: Document,
  { generator, tab }: PageNames,
): string {
  const draw = chartsIn(parseHTML('<!doctype html><html><body></body></html>').document);
  const named = sections.map((one, i) => ({ ...one, id: one.id ?? `section-${i + 1}` }));
  const head = h(
    'head',
    {},
    h('meta', { charset: 'utf-8' }),
    h('meta', { 'http-equiv': 'Content-Security-Policy', content: policy }),
    h('meta', { name: 'generator', content: generator }),
    h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    h('meta', { name: 'color-scheme', content: 'light dark' }),
    h('link', { rel: 'icon', href: 'data:,' }),
    h('title', {}, tab),
    h('style', {}, new Markup(style)),
  );
  const main = h(
    'main',
    {},
    title === null ? null : h('h1', {}, title),
    subtitle === '' ? null : h('p', { class: 'subtitle' }, subtitle),
    links('Contents', named),
    articleMarkup(blocks, { draw, label: title }),
    named.map((one) => sectionMarkup(one, draw)),
    footer === undefined ? null : h('footer', {}, unbroken(footer)),
  );
  return `<!doctype html>\n${h('html', { lang: 'en' }, head, h('body', {}, main)).html}\n`;
}

function links(name: string, sections: readonly Section[]): Markup {
  const entries = sections.flatMap(({ id, title }) =>
    title === null || id === undefined ? [] : [h('a', { href: `#${id}` }, title)],
  );
  return h('nav', { 'aria-label': name }, entries);
}

/** Fewer sections need no links. */
const fewSections = 4;

function sectionMarkup({ id = '', title, blocks, sections = [] }: Section, draw: Draw): Child {
  const inner = sections.map((one, i) => ({ ...one, id: one.id ?? `${id}-${i + 1}` }));
  const articles = inner.map((one) =>
    h(
      'article',
      { id: one.id },
      one.title === null ? null : h('h3', {}, one.title),
      articleMarkup(one.blocks, { draw, label: one.title ?? title }),
    ),
  );
  const body = [
    blocksMarkup(blocks, { draw, label: title }),
    title === null || inner.length < fewSections ? null : links(title, inner),
    articles,
  ];
  return title === null ? body : h('section', { id }, h('h2', {}, title), body);
}

interface Place {
  readonly draw: Draw;
  /** The title above; it names tables without a caption for screen readers. */
  readonly label: string | null;
}

/** The blocks of an article; on a wide page, the pictures and charts at its end are beside its text. */
function articleMarkup(blocks: readonly Block[], place: Place): readonly Markup[] {
  const isText = (block: Block): boolean =>
    block.kind === 'drawing' ? block.svg === undefined : block.kind !== 'chart';
  const end = blocks.findLastIndex(isText) + 1;
  const [text, side] = [blocks.slice(0, end), blocks.slice(end)];
  if (text.length === 0 || side.length === 0) return blocksMarkup(blocks, place);
  const columns = [h('div', {}, blocksMarkup(text, place)), h('div', { class: 'side' }, blocksMarkup(side, place))];
  return [h('div', { class: 'split' }, columns)];
}

/** Adjacent charts share a grid, and so do adjacent drawings. */
function blocksMarkup(blocks: readonly Block[], place: Place): readonly Markup[] {
  const groups: Block[][] = [];
  for (const block of blocks) {
    const group = groups.at(-1);
    const isGrouped = block.kind === 'chart' || block.kind === 'drawing';
    if (isGrouped && group?.[0]?.kind === block.kind) group.push(block);
    else groups.push([block]);
  }
  return groups.map((group) => {
    const all = group.map((one) => blockMarkup(one, place));
    const classes = groupClass(group);
    return classes === null ? new Markup(inside(all)) : h('div', { class: classes }, all);
  });
}

function groupClass([first, ...others]: readonly Block[]): string | null {
  if (first?.kind === 'drawing') return first.svg === undefined ? 'drawings' : 'drawings pictures';
  if (first?.kind !== 'chart') return null;
  const isHalf = (block: Block): boolean => block.kind === 'chart' && block.chart.room === 'half';
  return [first, ...others].some(isHalf) ? 'charts' : 'charts wholes';
}

function blockMarkup(block: Block, { draw, label }: Place): Markup {
  switch (block.kind) {
    case 'paragraph':
      return h('p', {}, inline(block.text));
    case 'quote':
      return h('blockquote', {}, block.text);
    case 'aside':
      return h('aside', { class: block.tone === 'note' ? 'quiet' : 'warning' }, inline(block.text));
    case 'list':
      return h('ul', {}, block.items.map(item));
    case 'lines':
      return h('ul', {}, block.lines.map(item));
    case 'facts':
      return h(
        'dl',
        { class: 'facts' },
        block.rows.map(([term, text]) => [h('dt', {}, term), h('dd', {}, inline(text))]),
      );
    case 'figures':
      return h(
        'dl',
        { class: 'figures' },
        block.figures.map(({ name, value, explanation }) =>
          h('div', {}, h('dt', {}, name), h('dd', { class: 'value' }, value), h('dd', {}, explanation)),
        ),
      );
    case 'table':
      return tableMarkup({ ...block, caption: block.caption ?? label ?? 'table' });
    case 'records':
      return recordsMarkup(block);
    case 'tree':
      return h('ul', { class: 'tree' }, block.branches.map(branchMarkup));
    case 'drawing':
      return drawingMarkup(block);
    case 'chart':
      return chartMarkup(block.chart, draw);
    case 'code':
      return h('pre', { class: 'code' }, block.text);
  }
}

function item(text: Text): Markup {
  return h('li', {}, inline(text));
}

function inline(text: Text): readonly Child[] {
  return pieces(text).map((piece): Child => {
    if (typeof piece === 'string') return unbroken(piece);
    const { mark, text: marked } = piece;
    if (mark === 'strong' || mark === 'code') return h(mark, {}, marked);
    return mark === 'bars' ? marked : h('span', { class: mark }, marked);
  });
}

const moment = /(\d{4}-\d\d-\d\d(?: \d\d:\d\d)?(?: UTC)?)/;

/** Dates do not break at their hyphens. */
function unbroken(text: string): Child {
  return text.split(moment).map((part, i) => (i % 2 === 1 ? h('span', { class: 'moment' }, part) : part));
}

type Captioned = Extract<Block, { kind: 'table' }> & { readonly caption: string };

function tableMarkup({ columns, rows, caption, isFolded }: Captioned): Markup {
  const titles = columns.map(({ title }) => h('th', { scope: 'col' }, title));
  const body = rows.map(([first = '', ...rest]) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, inline(first)),
      rest.map((cell) => h('td', {}, inline(cell))),
    ),
  );
  const label = { 'aria-label': caption };
  const wraps = columns.at(-1)?.wraps === true;
  const table = h(
    'div',
    { class: wraps ? 'scroll wraps' : 'scroll', tabindex: 0, role: 'region', ...label },
    h('table', label, h('thead', {}, h('tr', {}, titles)), h('tbody', {}, body)),
  );
  return isFolded === true ? folded(caption, table) : table;
}

function folded(summary: string, content: Markup): Markup {
  return h('details', {}, h('summary', {}, summary), content);
}

function recordsMarkup({ fields, rows }: Extract<Block, { kind: 'records' }>): Markup {
  const titles = fields.map((name) => h('th', { scope: 'col' }, name));
  const body = rows.map((row) =>
    h(
      'tr',
      {},
      row.map((cell, i) =>
        h(
          'td',
          { 'data-name': fields[i] ?? '' },
          cell.map((line) => h('div', {}, inline(line))),
        ),
      ),
    ),
  );
  return h('table', { class: 'records' }, h('thead', {}, h('tr', {}, titles)), h('tbody', {}, body));
}

function branchMarkup({ lines, branches }: Branch): Markup {
  const own = lines.map((line) =>
    typeof line === 'object' && 'drawing' in line ? characters(line.drawing) : h('div', {}, inline(line)),
  );
  return h('li', {}, own, branches.length === 0 ? null : h('ul', {}, branches.map(branchMarkup)));
}

function drawingMarkup({ title, caption, drawing, source, svg, animation }: Drawing): Markup {
  const alt = plainText(title);
  const letters = characters(drawing);
  return h(
    'figure',
    { class: svg === undefined ? 'drawing' : 'drawing picture' },
    h('figcaption', {}, inline(title)),
    caption === null ? null : h('p', { class: 'caption' }, caption),
    svg === undefined || animation === undefined ? null : motion(animation, alt),
    svg === undefined ? letters : image(svg, alt),
    svg === undefined ? null : folded('In characters', letters),
    h('p', { class: 'source' }, source),
  );
}

/** As an image an SVG runs no script, loads nothing and styles nothing else, whatever it contains. */
function image(svg: string, alt: string): Markup {
  return h('img', { alt, src: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` });
}

/** Closing it stops the motion: the page then shows the still picture that follows. */
function motion(animation: string, alt: string): Markup {
  return h('details', { class: 'motion', open: '' }, h('summary', {}, 'In motion'), image(animation, alt));
}

/** Wider drawings are scrolled. */
const mostColumns = 60;

function characters(drawing: string): Markup {
  const columns = Math.min(mostColumns, Math.max(1, ...drawing.split('\n').map((line) => [...line].length)));
  return h('pre', { style: `--columns:${columns}` }, drawing);
}

/** Draws a chart with a width. */
type Draw = (chart: Chart, width: number) => Markup;

/** Charts escape their texts, except control characters. */
function chartsIn(document: globalThis.Document): Draw {
  return (chart, width) => new Markup(escapeControlsInLines(chart.draw({ document, width }).outerHTML));
}

/** In CSS pixels: the room on each kind of page. */
const widths = { whole: 800, half: 392, narrow: 346 } as const;

function chartMarkup(chart: Chart, draw: Draw): Markup {
  const { title, caption, legend, table, room } = chart;
  return h(
    'figure',
    { class: `chart ${room}` },
    h('h3', {}, title),
    h('p', { class: 'caption' }, caption),
    legend === null ? null : legendMarkup(legend),
    h('div', { class: 'wide' }, draw(chart, widths[room])),
    h('div', { class: 'narrow' }, draw(chart, widths.narrow)),
    folded(
      'As a table',
      tableMarkup({ ...table, kind: 'table', columns: table.columns.map((name) => ({ title: name })), caption: title }),
    ),
  );
}

function legendMarkup(legend: Legend): Markup {
  if (legend.kind !== 'series') {
    const ramp = h('i', { class: legend.kind === 'ramp' ? 'ramp' : 'ramp difference' });
    return h('p', { class: 'legend' }, h('span', {}, legend.from, ramp, legend.to));
  }
  const entries = legend.entries.map(({ name, colour }) =>
    h('li', {}, h('i', { style: `background:${colour}` }), name),
  );
  return h('ul', { class: 'legend' }, entries);
}

// A report as one HTML file that needs nothing else: no network, no script. Its policy forbids what it does not need, so that
// nothing in it could run even if it were not escaped.
import { parseHTML } from 'linkedom';
import type { Chart } from '../../../../web/charts/chart.ts';
import { visibleLines } from '../../../base/visible.ts';
import type { ReportDocument, Section } from '../document.ts';
import { generatorOf } from '../generator.ts';
import { blockMarkup, type Drawing, wordsMarkup } from './blocks.ts';
import { type Child, h, Markup } from './markup.ts';
import { style } from './style.ts';

const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

export function htmlOf(report: ReportDocument): string {
  return htmlPage(report, { generator: generatorOf(report.run), tab: `${report.title}: icecore report` });
}

export interface PageNames {
  /** What it says it is made by. */
  readonly generator: string;
  /** What a browser calls it. */
  readonly tab: string;
}

/** Any document that is told as a report is. */
export function htmlPage(document: Omit<ReportDocument, 'run'>, { generator, tab }: PageNames): string {
  const drawing = drawingIn(parseHTML('<!doctype html><html><body></body></html>').document);
  const { title, subtitle, made, blocks, sections } = document;
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
    h('h1', {}, title),
    subtitle === '' ? null : h('p', { class: 'subtitle' }, subtitle),
    linksMarkup('Contents', sections),
    blocks.map((one) => blockMarkup(one, drawing)),
    sections.map((one) => sectionMarkup(one, drawing)),
    h('footer', {}, wordsMarkup([made])),
  );
  return `<!doctype html>\n${h('html', { lang: 'en' }, head, h('body', {}, main)).html}\n`;
}

/** Fewer are seen at a glance. */
const fewSections = 4;

function linksMarkup(name: string, sections: readonly Section[]): Markup {
  const links = sections.map(({ id, title }) => h('a', { href: `#${id}` }, title));
  return h('nav', { 'aria-evidence id': name }, links);
}

function sectionMarkup({ id, title, blocks, sections }: Section, drawing: Drawing): Markup {
  const parts = sections.map(
    (one): Child =>
      h(
        'article',
        { id: one.id },
        h('h3', {}, one.title),
        one.blocks.map((block) => blockMarkup(block, drawing)),
      ),
  );
  return h(
    'section',
    { id },
    h('h2', {}, title),
    blocks.map((one) => blockMarkup(one, drawing)),
    sections.length < fewSections ? null : linksMarkup(title, sections),
    parts,
  );
}

/** Charts make their texts harmless by themselves, but for what steers a reader. */
function drawingIn(document: Document): Drawing {
  return (chart: Chart, width: number) => visibleLines(chart.draw({ document, width }).outerHTML);
}

// A document in which every text is hostile: control characters of terminals, bidirectional overrides, HTML that would
// run scripts, and all syntax of Markdown.
import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { colours, noColours } from '../base/terminal.ts';
import { ownColour, steering } from '../base/testing/terminal-text.ts';
import {
  type Block,
  chart,
  code,
  codeBlock,
  type Document,
  drawing,
  facts,
  lines,
  list,
  marked,
  note,
  paragraph,
  quote,
  section,
  strong,
  table,
  tree,
  warning,
} from './document.ts';
import { htmlText } from './html.ts';
import { markdownText } from './markdown.ts';
import { terminalText } from './terminal.ts';

const control = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eright\u2066\rover';
const html = `"'><img/src="http://127.0.0.1:9/"onerror="document.title='ran'"><script>document.title='ran'</script></style></pre>`;
const markdown = '*b* _i_ `c` [l](http://127.0.0.1:9/) ![i](x) | ~~s~~ &amp; <b>';

/** Some are syntax only at the start of a line. */
const payloads: readonly string[] = [
  control,
  html,
  markdown,
  '# heading',
  '  ## heading after spaces',
  '- item',
  '+ item',
  '1. item',
  '2) item',
  '=====',
  '---',
  '> quote',
  '```\n# out of the fence\n```',
  '| a | b |\n|---|---|',
  `two\nlines\n\n# and a heading ${html}`,
];

function blocksOf(text: string): readonly Block[] {
  return [
    paragraph(text, strong(text), code(text), marked('bars', text)),
    quote(text),
    note(text),
    warning([marked('warning', text), text]),
    list([text, [strong(text)]]),
    lines([text]),
    facts([[text, text]]),
    { kind: 'figures', figures: [{ name: text, value: text, explanation: text }] },
    table(
      [text, [marked('good', text), ' ', code(text)]],
      [
        { title: text, cell: (cell) => cell, mark: 'strong', limit: 12 },
        { title: text, cell: (cell) => cell, wraps: true },
      ],
      { repeats: true, caption: text, isFolded: true },
    ),
    { kind: 'records', fields: [text, text], rows: [[[text], [text, [code(text)]]]] },
    tree([{ lines: [text, { drawing: text }, [strong(text)]], branches: [{ lines: [text], branches: [] }] }]),
    drawing({ title: [code(text)], caption: text, drawing: text, source: text }),
    codeBlock(text),
    chart(
      {
        title: text,
        caption: text,
        room: 'half',
        legend: { kind: 'series', entries: [{ name: text, colour: 'red' }] },
        table: { columns: [text], rows: [[text]] },
        draw: ({ document }) => (document as globalThis.Document).createElement('svg'),
      },
      [paragraph(text)],
    ),
  ];
}

function hostile(text: string): Document {
  const blocks = blocksOf(text);
  const inner = [section(text, blocks)];
  return {
    title: text,
    subtitle: text,
    blocks,
    sections: [section(text, blocks, { id: text, sections: inner }), section(null, blocks)],
    footer: text,
  };
}

describe('a hostile text in every place of a document', () => {
  it.each(payloads)('sends no control characters to a terminal, at any width and with colours: %j', (text) => {
    for (const columns of [20, 60, 200]) {
      const terminal = { isTTY: true, columns, paint: noColours };
      const plain = terminalText(hostile(text), terminal);
      expect(steering(plain)).toEqual([]);
      const coloured = terminalText(hostile(text), { ...terminal, paint: colours });
      expect(coloured.replaceAll(ownColour, '')).toBe(plain);
    }
    expect(steering(terminalText(hostile(text), { isTTY: false, columns: 80, paint: noColours }))).toEqual([]);
  });

  it.each(payloads)('is escaped in Markdown: %j', (text) => {
    const result = markdownText(hostile(text));
    expect(steering(result)).toEqual([]);
    const prose = result
      .replaceAll(/^( *)(`{3,})text\n[\s\S]*?\n\1\2$/gm, '')
      .replaceAll(/(?<![\\`])(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, '');
    expect(prose).not.toMatch(/(?<!\\)<(img|script|b>|\/style)/);
    expect(prose).not.toMatch(/(?<!\\)\]\(/);
    // Only the document itself makes headings and the one rule.
    const headings = prose.match(/^(?: *- )* *#{1,6} .*$/gm) ?? [];
    expect(new Set(headings.map((line) => line.replace(/^#+ /, ''))).size).toBe(1);
    expect(headings.map((line) => /^#+/.exec(line)?.[0])).toEqual(['#', '##', '###']);
    expect(prose.match(/^ {0,3}(=+|-{2,}) *$/gm)).toEqual(['---']);
  });

  it.each(payloads)('is escaped in an HTML page: %j', (text) => {
    const page = htmlText(hostile(text), { generator: text, tab: text });
    const { document } = parseHTML(page);
    expect(document.querySelectorAll('script, img, iframe, object, embed, base, b').length).toBe(0);
    expect(document.querySelectorAll('style').length).toBe(1);
    expect(document.querySelectorAll('[onerror], [src]').length).toBe(0);
    expect(steering(page)).toEqual([]);
    expect(document.querySelectorAll('h1, h2, h3').length).toBe(3 + 4);
  });

  it.each(payloads)('as an SVG stays within its image: %j', (text) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title='ran'">${text}</svg>`;
    const drawn = drawing({ title: text, caption: null, drawing: text, source: text, svg, animation: svg });
    const page = htmlText({ title: null, blocks: [drawn], sections: [] }, { generator: 'test', tab: 'test' });
    const { document } = parseHTML(page);
    const images = [...document.querySelectorAll('img')];
    expect(images).toHaveLength(2);
    for (const one of images) {
      expect([...one.attributes].map(({ name }) => name).sort()).toEqual(['alt', 'src']);
      expect(one.getAttribute('src')).toBe(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`);
    }
    expect(document.querySelectorAll('script, svg, iframe, object, embed, base, [onerror], [onload]').length).toBe(0);
  });
});

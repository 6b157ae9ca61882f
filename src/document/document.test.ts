import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { colours, displayWidth, noColours } from '../base/terminal.ts';
import {
  type Block,
  chart,
  code,
  codeBlock,
  type Document,
  drawing,
  facts,
  filled,
  lines,
  list,
  marked,
  note,
  paragraph,
  quiet,
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

const plain = { isTTY: false, columns: 80, paint: noColours };
const terminal = (columns: number) => ({ isTTY: true, columns, paint: noColours });

const of = (...blocks: readonly Block[]): Document => ({ title: null, blocks, sections: [] });

const page = (document: Document) => parseHTML(htmlText(document, { generator: 'a test', tab: 'a tab' })).document;

const rates = table(
  [
    { run: 'one', valid: '50.0', why: '' },
    { run: 'another', valid: [marked('good', '100.0')], why: 'it was given more data where it was not sure' },
  ],
  [
    { title: 'run', mark: 'strong', limit: 6, cell: ({ run }) => run },
    { title: 'valid', align: 'right', cell: ({ valid }) => valid },
    { title: 'nothing', cell: () => '' },
    { title: 'why', wraps: true, cell: ({ why }) => why },
  ],
);

const bars = {
  title: 'Rates',
  caption: 'They rose.',
  description: 'Two bars.',
  room: 'half',
  legend: null,
  table: { columns: ['run', 'rate'], rows: [['one', '50 %']] },
  draw: ({ document }: { readonly document: unknown }) => (document as globalThis.Document).createElement('svg'),
} as const;

const whole: Document = {
  title: 'A run',
  subtitle: 'over',
  blocks: [
    paragraph('It ', strong('rose'), ' by ', code('8.hole'), '.'),
    facts([
      ['seed', '1'],
      ['form', null],
    ]),
  ],
  sections: filled([
    section('Nothing', []),
    section('Rates', [rates, note('In %.'), warning('Few tasks.')], { id: 'rates' }),
    section('Beside', [list(['one', [quiet('two')]]), codeBlock('icecore runs')], {
      sections: [section('Within', [quote('two\nlines'), lines(['short', 'lines'])])],
    }),
  ]),
  footer: 'Made on 2026-07-01.',
};

describe('a document on a terminal', () => {
  it('separates sections by blank lines', () => {
    expect(terminalText(whole, plain)).toBe(`A run  over
It rose by 8.hole.
  seed  1

Rates
run      valid  why
one       50.0
another  100.0  it was given more data where it was not sure
In %.
Few tasks.

Beside
- one
- two
  icecore runs

Within
│ two
│ lines
  short
  lines

Made on 2026-07-01.
`);
  });

  it('cuts and wraps columns to the width of a terminal only', () => {
    expect(terminalText(of(rates), terminal(36))).toBe(`run     valid
one      50.0
anoth…  100.0
    it was given more data where it
    was not sure
`);
  });

  it('moves columns that do not fit to another table, with the first column repeated', () => {
    const columns = ['a', 'b', 'c'].map((title) => ({ title, cell: () => title.repeat(9) }));
    const repeated = table(['one'], [{ title: 'run', cell: (run) => run }, ...columns], { repeats: true });
    const text = terminalText(of(repeated), terminal(26));
    expect(text).toBe(`run  a          b
one  aaaaaaaaa  bbbbbbbbb

run  c
one  ccccccccc
`);
    expect(terminalText(of(repeated), plain).split('\n')).toHaveLength(3);
  });

  it('wraps marked text without losing its colours', () => {
    const block = paragraph('a ', strong('few bold words'), ' and ', marked('bad', 'more of them'));
    const coloured = terminalText(of(block), { ...terminal(14), paint: colours });
    expect(coloured).toBe(
      'a \u001b[1mfew bold\u001b[0m\n  \u001b[1mwords\u001b[0m and\n  \u001b[31mmore of them\u001b[0m\n',
    );
  });

  it('colours block characters by their height', () => {
    const text = terminalText(of(paragraph(marked('bars', '▁█·'))), { ...plain, paint: colours });
    expect(text).toBe('\u001b[34m▁\u001b[0m\u001b[33m█\u001b[0m\u001b[2m·\u001b[0m\n');
  });

  it('draws trees with their drawings, within the width of the terminal', () => {
    const branches = [
      {
        lines: ['8.hole', { drawing: '┌┐\n└┘' }],
        branches: [{ lines: ['B8.valid a figure that is long'], branches: [] }],
      },
      { lines: ['then'], branches: [] },
    ];
    expect(terminalText(of(tree(branches)), terminal(28))).toBe(`├─ 8.hole
│  │  ┌┐
│  │  └┘
│  └─ B8.valid a figure that
│       is long
└─ then
`);
  });

  it('shows the blocks instead of a chart, or its table', () => {
    expect(terminalText(of(chart(bars, [paragraph('instead')])), plain)).toBe('instead\n');
    expect(terminalText(of(chart(bars)), plain)).toBe('Rates\nThey rose.\nrun  rate\none  50 %\n');
  });

  it.each([40, 60, 80, 120])('keeps to %i columns', (columns) => {
    for (const line of terminalText(whole, terminal(columns)).split('\n'))
      expect(displayWidth(line), line).toBeLessThanOrEqual(columns);
  });
});

describe('a document in Markdown', () => {
  it('has headings, lists and tables', () => {
    expect(markdownText(whole)).toBe(`# A run

over

It **rose** by \`8.hole\`.

- seed: 1

## Rates

| run | valid | why |
| --- | ---: | --- |
| one | 50.0 |  |
| another | 100.0 | it was given more data where it was not sure |

In %.

Few tasks.

## Beside

- one
- two

\`\`\`text
icecore runs
\`\`\`

### Within

> two
> lines

- short
- lines

---

Made on 2026-07-01.
`);
  });

  it('has drawings in blocks, and records as lists', () => {
    const drawn = drawing({ title: [code('F1'), ' fell'], caption: 'fell in', drawing: '┌┐\n└┘', source: 'rollout 1' });
    const records: Block = {
      kind: 'records',
      fields: ['change', 'reason'],
      rows: [[[[strong('8.hole'), ' 0.3 → 0.2']], ['too hard']]],
    };
    expect(markdownText(of(drawn, records))).toBe(`\`F1\` fell

> fell in

\`\`\`text
┌┐
└┘
\`\`\`

rollout 1

- **8.hole** 0.3 → 0.2
  - reason: too hard
`);
  });
});

describe('a document as a page', () => {
  it('has every section with a link to it, without empty ones', () => {
    const document = page(whole);
    expect([...document.querySelectorAll('h1, h2, h3')].map((one) => one.textContent)).toEqual([
      ...['A run', 'Rates', 'Beside', 'Within'],
    ]);
    const links = [...document.querySelectorAll('nav a')].map((one) => one.getAttribute('href'));
    expect(links).toEqual(['#rates', '#section-2']);
    for (const link of links) expect(document.querySelector(link ?? '')).not.toBeNull();
    expect(document.querySelector('table')?.getAttribute('aria-label')).toBe('Rates');
    expect(document.querySelector('title')?.textContent).toBe('a tab');
    expect(document.querySelector('meta[name=generator]')?.getAttribute('content')).toBe('a test');
    expect(document.querySelector('footer .moment')?.textContent).toBe('2026-07-01');
  });

  it('marks emphasis, and distinguishes notes from warnings', () => {
    const document = page(whole);
    expect(document.querySelector('p strong')?.textContent).toBe('rose');
    expect(document.querySelector('td .good')?.textContent).toBe('100.0');
    expect(document.querySelector('aside.quiet')?.textContent).toBe('In %.');
    expect(document.querySelector('aside.warning')?.textContent).toBe('Few tasks.');
  });

  it('draws consecutive charts side by side, each with its table', () => {
    const document = page(of(chart(bars, [paragraph('instead')]), chart(bars), paragraph('between'), chart(bars)));
    expect([...document.querySelectorAll('.charts')].map((one) => one.children.length)).toEqual([2, 1]);
    expect(document.querySelectorAll('figure.chart details table').length).toBe(3);
    expect(document.body.textContent).not.toContain('instead');
  });
});

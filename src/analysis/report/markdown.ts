// A report as Markdown: the same words, with a table in the place of each chart. A text means itself, whatever marks are in it.

import type { Chart, Table } from '../../../web/charts/chart.ts';
import { literal } from '../../base/literal.ts';
import { visible, visibleLines } from '../../base/visible.ts';
import type { Block, ChangeRow, Drawn, Inline, ReportDocument, Section, Words } from './document.ts';

export function markdownOf({ title, subtitle, made, blocks, sections }: ReportDocument): string {
  const parts = [
    `# ${literal(title)}`,
    ...(subtitle === '' ? [] : [literal(subtitle)]),
    ...blocks.map(blockText),
    ...sections.map((one) => sectionText(one, 2)),
    `---`,
    literal(made),
  ];
  return `${parts.join('\n\n')}\n`;
}

function sectionText({ title, blocks, sections }: Section, level: number): string {
  const parts = [
    `${'#'.repeat(level)} ${literal(title)}`,
    ...blocks.map(blockText),
    ...sections.map((one) => sectionText(one, level + 1)),
  ];
  return parts.join('\n\n');
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'text':
      return wordsText(block.words);
    case 'quote':
      return quoted(block.text);
    case 'list':
    case 'warnings':
      return block.items.map((words) => `- ${wordsText(words)}`).join('\n');
    case 'facts':
      return block.rows.map(([term, words]) => `- ${literal(term)}: ${wordsText(words)}`).join('\n');
    case 'figures':
      return block.figures
        .map(({ name, value, says }) => `- ${literal(name)}: **${literal(value)}** (${literal(says)})`)
        .join('\n');
    case 'changes':
      return block.rows.map(changeText).join('\n');
    case 'table':
      return tableText(block.table);
    case 'drawings':
      return block.drawings.map(drawnText).join('\n\n');
    case 'code':
      return fenced(block.text);
    case 'charts':
      return block.charts.map(chartText).join('\n\n');
  }
}

function chartText({ title, caption, table }: Chart): string {
  return `### ${literal(title)}\n\n${literal(caption)}\n\n${tableText(table)}`;
}

function changeText({ change, reason, evidence, afterwards }: ChangeRow): string {
  const lines = (name: string, words: readonly Words[]): string =>
    words.length === 0 ? '' : `\n  - ${name}: ${words.map(wordsText).join('; ')}`;
  return `- ${change.map(wordsText).join('; ')}${lines('reason', reason)}${lines('evidence', evidence)}${lines('afterwards', afterwards)}`;
}

function wordsText(words: Words): string {
  return atTheBeginning(words.map(inlineText).join(''));
}

function inlineText(inline: Inline): string {
  if (typeof inline === 'string') return literal(inline);
  const { as, text } = inline;
  if (as === 'code') return codeSpan(text);
  if (as === 'soft') return literal(text);
  const words = text.trim();
  const before = text.slice(0, text.length - text.trimStart().length);
  const after = text.slice(text.trimEnd().length);
  return words === '' ? text : `${before}**${literal(words)}**${after}`;
}

/** What would begin a list, a heading or a quotation begins none. */
function atTheBeginning(text: string): string {
  return text.replace(/^([-+#=](?=\s|$)|#+(?=\s))/, '\\$1').replace(/^(\d+)([.)])(?=\s|$)/, '$1\\$2');
}

function codeSpan(text: string): string {
  const shown = visible(text);
  const fence = '`'.repeat(longestRun(shown) + 1);
  const space = /^`|`$/.test(shown) ? ' ' : '';
  return `${fence}${space}${shown}${space}${fence}`;
}

function quoted(text: string): string {
  return visibleLines(text)
    .split('\n')
    .map((line) => `> ${atTheBeginning(literal(line))}`)
    .join('\n');
}

function drawnText({ title, says, drawing, from }: Drawn): string {
  const parts = [wordsText(title), ...(says === null ? [] : [quoted(says)]), fenced(drawing), literal(from)];
  return parts.join('\n\n');
}

/** The fence is longer than any in the text. */
function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}text\n${visibleLines(text)}\n${fence}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function tableText({ columns, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(literal).join(' | ')} |`;
  return [line(columns), `|${columns.map(() => ' --- ').join('|')}|`, ...rows.map(line)].join('\n');
}

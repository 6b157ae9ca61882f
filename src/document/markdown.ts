// A document as Markdown. This is the one place where marks of Markdown in a document's texts are escaped: a text means
// itself, whatever is in it.
import { escapeControls, escapeControlsInLines, escapeMarkdown } from '../base/escape.ts';
import {
  type Block,
  type Branch,
  type CharacterBlock,
  type Document,
  pieces,
  recordBranch,
  type Section,
  type Text,
  withoutCharts,
} from './document.ts';

/** Renders a document as Markdown. Charts become tables. */
export function markdownText({ title, subtitle = '', blocks, sections, footer }: Document): string {
  const parts = [
    ...(title === null ? [] : [`# ${escapeMarkdown(title)}`]),
    ...(subtitle === '' ? [] : [sentence(subtitle)]),
    ...withoutCharts(blocks).map(blockText),
    ...sections.map((one) => sectionText(one, 2)),
    ...(footer === undefined ? [] : ['---', sentence(footer)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function sectionText({ title, blocks, sections = [] }: Section, level: number): string {
  const parts = [
    ...(title === null ? [] : [`${'#'.repeat(level)} ${escapeMarkdown(title)}`]),
    ...withoutCharts(blocks).map(blockText),
    ...sections.map((one) => sectionText(one, level + 1)),
  ];
  return parts.join('\n\n');
}

function blockText(block: CharacterBlock): string {
  switch (block.kind) {
    case 'paragraph':
    case 'aside':
      return sentence(block.text);
    case 'quote':
      return quoted(block.text);
    case 'list':
      return block.items.map((item) => `- ${sentence(item)}`).join('\n');
    case 'lines':
      return block.lines.map((line) => `- ${sentence(line)}`).join('\n');
    case 'facts':
      return block.rows.map(([term, text]) => `- ${sentence(term)}: ${inlineText(text)}`).join('\n');
    case 'figures':
      return block.figures
        .map(({ name, value, explanation }) => `- ${sentence(name)}: ${bold(value)} (${escapeMarkdown(explanation)})`)
        .join('\n');
    case 'table':
      return tableText(block);
    case 'records':
      return branchesText(
        block.rows.map((row) => recordBranch(block.fields, row)),
        '',
      );
    case 'tree':
      return branchesText(block.branches, '');
    case 'drawing': {
      const caption = block.caption === null ? [] : [quoted(block.caption)];
      return [sentence(block.title), ...caption, fenced(block.drawing), sentence(block.source)].join('\n\n');
    }
    case 'code':
      return fenced(block.text);
  }
}

function sentence(text: Text): string {
  return atTheBeginning(inlineText(text));
}

function inlineText(text: Text): string {
  return pieces(text)
    .map((piece) => {
      if (typeof piece === 'string') return escapeMarkdown(piece);
      if (piece.mark === 'code') return codeSpan(piece.text);
      return piece.mark === 'quiet' || piece.mark === 'bars' ? escapeMarkdown(piece.text) : bold(piece.text);
    })
    .join('');
}

/** Spaces at its ends stay outside of the marks, which are none beside a space. */
function bold(text: string): string {
  const words = text.trim();
  if (words === '') return text;
  const before = text.slice(0, text.length - text.trimStart().length);
  return `${before}**${escapeMarkdown(words)}**${text.slice(text.trimEnd().length)}`;
}

/** Cells of a table: emphasis comes from the column. */
function cellText(text: Text): string {
  return pieces(text)
    .map((piece) => {
      if (typeof piece === 'string') return escapeMarkdown(piece);
      return piece.mark === 'code' ? codeSpan(piece.text).replaceAll('|', '\\|') : escapeMarkdown(piece.text);
    })
    .join('');
}

function tableText({ columns, rows }: Extract<Block, { kind: 'table' }>): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ title }) => escapeMarkdown(title))),
    line(columns.map(({ align }) => (align === 'right' ? '---:' : '---'))),
    ...rows.map((row) => line(row.map(cellText))),
  ].join('\n');
}

/** What would begin a list, a heading or a quotation begins none. */
function atTheBeginning(text: string): string {
  return text
    .replace(/^( *)([-+=](?=\s|$)|#+(?=\s|$)|[-=]{2,}\s*$)/, '$1\\$2')
    .replace(/^( *\d+)([.)])(?=\s|$)/, '$1\\$2');
}

function codeSpan(text: string): string {
  const shown = escapeControls(text);
  const fence = '`'.repeat(longestRun(shown) + 1);
  const space = /^`|`$/.test(shown) ? ' ' : '';
  return `${fence}${space}${shown}${space}${fence}`;
}

function quoted(text: string): string {
  return escapeControlsInLines(text)
    .split('\n')
    .map((line) => `> ${atTheBeginning(escapeMarkdown(line))}`)
    .join('\n');
}

/** The fence is longer than any in the text. `indent`: where its further lines begin. */
function fenced(text: string, indent = ''): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return [`${fence}text`, ...escapeControlsInLines(text).split('\n'), fence].join(`\n${indent}`);
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function branchesText(branches: readonly Branch[], indent: string): string {
  return branches.map((one) => branchText(one, indent)).join('\n');
}

/** Each line after the first is a paragraph of its own, or they would run together. */
function branchText({ lines, branches }: Branch, indent: string): string {
  const inside = `${indent}  `;
  const [first = '', ...others] = lines.map((line) =>
    typeof line === 'object' && 'drawing' in line ? fenced(line.drawing, inside) : sentence(line),
  );
  return [
    `${indent}- ${first}`,
    ...others.map((line) => `\n${inside}${line}`),
    ...(others.length > 0 && branches.length > 0 ? [''] : []),
    ...(branches.length === 0 ? [] : [branchesText(branches, inside)]),
  ].join('\n');
}

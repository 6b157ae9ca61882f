// A page in Markdown. A text means itself, whatever marks are in it.
import { literal } from '../literal.ts';
import { visibleLines } from '../visible.ts';
import { type Column, gap, type Page, type Part } from './page.ts';

export function markdownText({ title, sections }: Page): string {
  const parts = sections.flatMap((section) => section.filter((part) => part !== gap).map(partText));
  return [`# ${literal(title)}\n`, ...parts].join('\n');
}

function partText(part: Part): string {
  switch (part.kind) {
    case 'heading':
      return `## ${literal(part.text)}\n`;
    case 'text':
      return paragraphText(part.text);
    case 'list':
      return part.items.map((item) => `- ${atTheBeginning(literal(item))}\n`).join('');
    case 'code':
      return fenced(visibleLines(part.text));
    case 'table':
      return `${tableText(part.columns)}${part.legend === undefined ? '' : `\n${paragraphText(part.legend)}`}`;
  }
}

function paragraphText(text: string): string {
  return `${atTheBeginning(literal(text))}\n`;
}

function tableText(columns: readonly Column[]): string {
  const rows = columns[0]?.cells.map((_, i) => columns.map(({ cells }) => literal(cells[i] ?? ''))) ?? [];
  const lines = [
    columns.map(({ title }) => literal(title)),
    columns.map(({ align }) => (align === 'right' ? '---:' : '---')),
    ...rows,
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** What would begin a list, a heading or a quotation begins none. */
function atTheBeginning(text: string): string {
  return text.replace(/^([-+#=])/, '\\$1').replace(/^(\d+)([.)])/, '$1\\$2');
}

/** The fence is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}\n`;
}

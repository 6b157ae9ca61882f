// A story in Markdown: a title, headings, nested lists, drawings in blocks of their own. A text means itself, whatever marks
// are in it.
import { literal } from '../output/literal.ts';
import { visibleLines } from '../output/visible.ts';
import type { Branch, Line, Outline, Part } from './outline.ts';

export function markdownText({ title, state, parts }: Outline): string {
  return `# ${literal(title)} (${literal(state)})\n${parts.map(partText).join('')}`;
}

function partText({ title, lines, branches }: Part): string {
  const head = title === '' ? '' : `\n## ${literal(title)}\n`;
  const own = lines.map((one) => `\n${lineText(one, '')}\n`).join('');
  return `${head}${own}${branches.length === 0 ? '' : `\n${branchesText(branches, '')}`}`;
}

function branchesText(branches: readonly Branch[], indent: string): string {
  return branches.map((one) => branchText(one, indent)).join('');
}

/** Each line below the first is a paragraph of its own, or they would run together. */
function branchText({ lines, branches }: Branch, indent: string): string {
  const [first, ...others] = lines;
  const inside = `${indent}  `;
  const head = first === undefined ? '' : `${indent}- ${lineText(first, inside)}\n`;
  const more = others.map((one) => `\n${inside}${lineText(one, inside)}\n`).join('');
  const gap = others.length > 0 && branches.length > 0 ? '\n' : '';
  return head + more + gap + branchesText(branches, inside);
}

/** `indent`: where its further lines begin. */
function lineText({ text, tone, isDrawn }: Line, indent: string): string {
  if (isDrawn) return fenced(text, indent);
  const marked = literal(text);
  return tone === 'strong' ? `**${marked}**` : atTheBeginning(marked);
}

/** What would begin a list, a heading or a quotation begins none. */
function atTheBeginning(text: string): string {
  return text.replace(/^([-+#=]|\d+(?=[.)]))/, '\\$1').replace(/^\\(\d+)([.)])/, '$1\\$2');
}

/** The fence is longer than any in the drawing. */
function fenced(text: string, indent: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}text`, ...visibleLines(text).split('\n'), fence].join(`\n${indent}`);
}

// A document for a terminal, in its width and colours. This is the one place where control characters of a document's texts
// are replaced by escapes for a terminal.

import { escapeControls, escapeControlsInLines } from '../base/escape.ts';
import { displayWidth, type Paint, truncateText, wrapText } from '../base/terminal.ts';
import {
  type Block,
  type Branch,
  type CharacterBlock,
  type Column,
  type Document,
  type Mark,
  pieces,
  plainText,
  recordBranch,
  type Section,
  type Text,
  withoutCharts,
} from './document.ts';
import { columnGap, type Column as LaidOut, type Surface, table } from './layout.ts';

/** Where a document goes: the width of the terminal, if it is one, and its colours. */
export interface Terminal extends Surface {
  readonly paint: Paint;
}

/** Renders a document as text for a terminal, wrapped to its width where it is one. */
export function terminalText({ title, subtitle, blocks, sections, footer }: Document, terminal: Terminal): string {
  const head = title === null ? '' : headLine(title, subtitle, terminal);
  const parts = [
    `${head}${blocksText(blocks, terminal)}`,
    ...sections.map((one) => sectionText(one, terminal)),
    footer === undefined ? '' : paragraphText(footer, terminal, { mark: 'quiet' }),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function headLine(title: string, subtitle: string | undefined, terminal: Terminal): string {
  if (subtitle === undefined || subtitle === '') return paragraphText(title, terminal, { mark: 'strong' });
  return `${terminal.paint.bold(escapeControls(title))}  ${escapeControls(subtitle)}\n`;
}

function sectionText({ title, blocks, sections = [] }: Section, terminal: Terminal): string {
  const head = title === null ? '' : paragraphText(title, terminal, { mark: 'strong' });
  const parts = [`${head}${blocksText(blocks, terminal)}`, ...sections.map((one) => sectionText(one, terminal))];
  return parts.filter((part) => part !== '').join('\n');
}

/** Blocks of several lines: an empty line parts two of them that follow each other. */
const large: readonly Block['kind'][] = ['table', 'records', 'tree', 'drawing', 'quote', 'code'];

function blocksText(blocks: readonly Block[], terminal: Terminal): string {
  const shown = withoutCharts(blocks);
  const isLarge = (block: Block | undefined): boolean => block !== undefined && large.includes(block.kind);
  return shown
    .map((block, i) => `${isLarge(block) && isLarge(shown[i - 1]) ? '\n' : ''}${blockText(block, terminal)}`)
    .join('');
}

const tones = { note: 'quiet', warning: 'warning' } as const;

function blockText(block: CharacterBlock, terminal: Terminal): string {
  switch (block.kind) {
    case 'paragraph':
      return paragraphText(block.text, terminal);
    case 'quote':
      return indented(block.text, '│ ', terminal.paint.dim);
    case 'aside':
      return paragraphText(block.text, terminal, { mark: tones[block.tone] });
    case 'list':
      return block.items.map((item) => paragraphText(item, terminal, { first: '- ' })).join('');
    case 'lines':
      return block.lines.map((line) => paragraphText(line, terminal, { first: '  ' })).join('');
    case 'facts':
      return factsText(block.rows, terminal);
    case 'figures':
      return block.figures
        .map(({ name, value, explanation }) =>
          paragraphText([`${name} `, { mark: 'strong', text: value }, ` (${explanation})`], terminal, { first: '  ' }),
        )
        .join('');
    case 'table':
      return tableText(block, terminal);
    case 'records':
      return branchesText(
        block.rows.map((row) => recordBranch(block.fields, row)),
        terminal,
        '',
      );
    case 'tree':
      return branchesText(block.branches, terminal, '');
    case 'drawing':
      return [
        paragraphText(block.title, terminal),
        block.caption === null ? '' : paragraphText(block.caption, terminal, { first: '  ' }),
        indented(block.drawing, '  '),
        // Often a command, which can be copied only if it is not wrapped.
        `  ${coloured(escapeControls(block.source), 'quiet', terminal.paint)}\n`,
      ].join('');
    case 'code':
      return indented(block.text, '  ');
  }
}

/** Several lines as they are. */
function indented(text: string, indent: string, paint: (indent: string) => string = (plain) => plain): string {
  return escapeControlsInLines(text)
    .split('\n')
    .map((line) => line.trimEnd())
    .map((line) => `${line === '' ? paint(indent.trimEnd()) : `${paint(indent)}${line}`}\n`)
    .join('');
}

interface ParagraphOptions {
  /** Before the first line; further lines are indented a little further. */
  readonly first?: string;
  readonly mark?: Mark;
}

const hanging = 2;

/** Filled to the width of the terminal; elsewhere it is one line. */
function paragraphText(text: Text, terminal: Terminal, { first = '', mark }: ParagraphOptions = {}): string {
  const below = ' '.repeat(first === '- ' ? hanging : first.length + hanging);
  return filledLines(text, terminal, { width: terminal.columns - below.length, mark })
    .map((line, i) => `${i === 0 ? first : below}${line}\n`)
    .join('');
}

interface Filling {
  readonly width: number;
  readonly mark: Mark | undefined;
}

function filledLines(text: Text, { isTTY, paint }: Terminal, { width, mark }: Filling): readonly string[] {
  const shown = shownPieces(text, mark);
  const whole = shown.map((piece) => piece.text).join('');
  let from = 0;
  return (isTTY ? wrapText(whole, width) : [whole]).map((line) => {
    const painted = paintedSlice(shown, { from, line }, paint);
    from += line.length + 1;
    return painted;
  });
}

interface Piece {
  readonly text: string;
  readonly mark: Mark | undefined;
}

function shownPieces(text: Text, mark?: Mark): readonly Piece[] {
  return pieces(text).map((piece) =>
    typeof piece === 'string'
      ? { text: escapeControls(piece), mark }
      : { text: escapeControls(piece.text), mark: mark === undefined || mark === 'strong' ? piece.mark : mark },
  );
}

/** A line of a text, which begins at `from` in all of it, in the colours of its pieces. */
function paintedSlice(
  shown: readonly Piece[],
  { from, line }: { readonly from: number; readonly line: string },
  paint: Paint,
): string {
  let at = 0;
  let painted = '';
  for (const { text, mark } of shown) {
    const [start, end] = [Math.max(at, from), Math.min(at + text.length, from + line.length)];
    if (end > start) painted += coloured(line.slice(start - from, end - from), mark, paint);
    at += text.length;
  }
  // A cut cell ends with a mark for the rest.
  return at < from + line.length ? painted + line.slice(Math.max(0, at - from)) : painted;
}

function coloured(text: string, mark: Mark | undefined, paint: Paint): string {
  switch (mark) {
    case 'strong':
      return paint.bold(text);
    case 'quiet':
      return paint.dim(text);
    case 'good':
      return paint.green(text);
    case 'bad':
      return paint.red(text);
    case 'warning':
      return paint.yellow(text);
    case 'bars':
      return Array.from(text, (block) => colouredBar(block, paint)).join('');
    default:
      return text;
  }
}

const bars = '▁▂▃▄▅▆▇█';

/** Cold to warm, the taller the warmer. */
function colouredBar(block: string, { blue, cyan, green, yellow, dim }: Paint): string {
  const height = bars.indexOf(block);
  if (height >= 0) return ([blue, cyan, green, yellow][Math.floor(height / 2)] ?? yellow)(block);
  return block === '·' ? dim(block) : block;
}

function factsText(rows: Extract<Block, { kind: 'facts' }>['rows'], terminal: Terminal): string {
  const columns: readonly LaidOut[] = [
    { title: '', paint: terminal.paint.dim },
    { title: '', wraps: true },
  ];
  return table(
    columns,
    rows.map(([term, text]) => [`  ${escapeControls(term)}`, escapeControls(plainText(text))]),
    terminal,
  );
}

function tableText({ columns, rows, repeats }: Extract<Block, { kind: 'table' }>, terminal: Terminal): string {
  const shown = columns.map((column, i) =>
    shownColumn(
      column,
      rows.map((row) => row[i] ?? ''),
      terminal,
    ),
  );
  const parts = repeats && terminal.isTTY ? packed(shown, terminal.columns) : [shown];
  return parts
    .map((some) => {
      const cells = rows.map((_, i) => some.map((column) => column.cells[i] ?? ''));
      return table(some, cells, terminal);
    })
    .join('\n');
}

interface ShownColumn extends LaidOut {
  /** Without marks, as they are cut. */
  readonly cells: readonly string[];
}

function shownColumn(
  { title, align, limit, mark, wraps, minor }: Column,
  texts: readonly Text[],
  { isTTY, paint }: Terminal,
): ShownColumn {
  const cut = (text: string): string =>
    isTTY && limit !== undefined ? truncateText(escapeControls(text), limit) : escapeControls(text);
  const isPlain = wraps === true || (mark === undefined && texts.every((text) => typeof text === 'string'));
  return {
    title: cut(title),
    cells: texts.map((text) => cut(plainText(text))),
    ...(align === undefined ? {} : { align }),
    ...(wraps === undefined ? {} : { wraps }),
    ...(minor === undefined ? {} : { minor }),
    ...(isPlain
      ? {}
      : { paint: (line, row) => paintedSlice(shownPieces(texts[row] ?? '', mark), { from: 0, line }, paint) }),
  };
}

/** As many in a table as there is room for, each after the first column, which says whose row it is. */
function packed([first, ...others]: readonly ShownColumn[], room: number): readonly (readonly ShownColumn[])[] {
  if (first === undefined) return [];
  const tables: ShownColumn[][] = [[first]];
  let left = room - widthOf(first);
  for (const column of others) {
    const taken = columnGap.length + widthOf(column);
    if (left < taken && tables.at(-1)?.length !== 1) {
      tables.push([first]);
      left = room - widthOf(first);
    }
    tables.at(-1)?.push(column);
    left -= taken;
  }
  return tables;
}

function widthOf({ title, cells }: ShownColumn): number {
  return Math.max(...[title, ...cells].map(displayWidth));
}

function branchesText(branches: readonly Branch[], terminal: Terminal, indent: string): string {
  return branches
    .map((one, i) => {
      const isLast = i === branches.length - 1;
      const below = `${indent}${isLast ? '   ' : '│  '}`;
      return branchText(one, terminal, { first: `${indent}${isLast ? '└─ ' : '├─ '}`, below });
    })
    .join('');
}

interface Stems {
  /** Before the first line. */
  readonly first: string;
  /** Before all other lines. */
  readonly below: string;
}

function branchText({ lines, branches }: Branch, terminal: Terminal, { first, below }: Stems): string {
  const stem = branches.length === 0 ? below : `${below}│  `;
  const own = lines.map((line, i) =>
    branchLine(line, terminal, { first: i === 0 ? first : stem, below: `${stem}${i === 0 ? '  ' : ''}` }),
  );
  return own.join('') + branchesText(branches, terminal, below);
}

/** In fewer columns nobody reads prose. */
const narrowest = 24;

/** Drawings keep their width: a terminal that is narrower breaks them itself. */
function branchLine(line: Branch['lines'][number], terminal: Terminal, { first, below }: Stems): string {
  const dimmed = (stem: string): string => (stem.trim() === '' ? stem : terminal.paint.dim(stem));
  if (typeof line === 'object' && 'drawing' in line) return indented(line.drawing, first, dimmed);
  const width = Math.max(narrowest, terminal.columns - below.length);
  return filledLines(line, terminal, { width, mark: undefined })
    .map((text, i) => `${dimmed(i === 0 ? first : below)}${text}\n`)
    .join('');
}

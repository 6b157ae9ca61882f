// What a command or a report says, as data: sections of blocks of text with inline marks. The renderers beside this file turn
// a document into text for a terminal, Markdown or an HTML page. Whatever a text holds, control characters and marks of
// Markdown or HTML among it, it means itself: renderers escape it, and documents hold it as it was recorded.

/**
 * How a piece of text is emphasised. `bars` are block characters (▁ to █) that a terminal colours by their height. Marks only
 * repeat what the words say: a renderer may drop any of them.
 */
export type Mark = 'strong' | 'code' | 'quiet' | 'good' | 'bad' | 'warning' | 'bars';

/** An emphasised piece of text. */
export interface Marked {
  readonly mark: Mark;
  readonly text: string;
}

/** Pieces of text in a row, some of which may stand out. */
export type Words = readonly (string | Marked)[];

/** A sentence or a few. */
export type Text = string | Words;

/** A piece of text with a mark. */
export function marked(mark: Mark, text: string): Marked {
  return { mark, text };
}

/** Text that a reader should notice first. */
export function strong(text: string): Marked {
  return marked('strong', text);
}

/** Text to type or copy as it is: a command, a name, a path. */
export function code(text: string): Marked {
  return marked('code', text);
}

/** Text of lesser importance. */
export function quiet(text: string): Marked {
  return marked('quiet', text);
}

/** A picture for pages, with words and a table for who cannot see it. */
export interface Chart {
  readonly title: string;
  /** One sentence on what is seen. */
  readonly caption: string;
  /** Half: where there is little to see, two charts are side by side. */
  readonly room: 'half' | 'whole';
  readonly legend: Legend | null;
  readonly table: { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };
  /** An element of SVG, made by a DOM document, in CSS pixels. It escapes its texts itself. */
  draw(canvas: { readonly document: unknown; readonly width: number }): { readonly outerHTML: string };
}

/** What the colours of a chart mean. */
export type Legend =
  | { readonly kind: 'series'; readonly entries: readonly { readonly name: string; readonly colour: string }[] }
  | { readonly kind: 'ramp' | 'difference'; readonly from: string; readonly to: string };

/** The heading of a table column, and how its cells are laid out. */
export interface Column {
  readonly title: string;
  readonly align?: 'right';
  /** How all cells of the column stand out on a terminal. */
  readonly mark?: Mark;
  /** The number of columns of a terminal that longer cells are cut to. */
  readonly limit?: number;
  /** The last column holds prose: a terminal wraps it instead of cutting it. */
  readonly wraps?: true;
  /** A narrow terminal leaves it out before others. */
  readonly minor?: true;
}

/** A column of names is usually cut to this. */
export const longestName = 24;

/** A branch of a tree: its own lines, and the branches below it. */
export interface Branch {
  /** The first line is what the branch is about; a drawing is shown line by line as it is. */
  readonly lines: readonly (Text | { readonly drawing: string })[];
  readonly branches: readonly Branch[];
}

/** A drawing of a task or a configuration in characters, with its title and its source. */
export interface Drawing {
  readonly title: Text;
  /** What the drawing shows, in words of whoever made it. */
  readonly caption: string | null;
  /** Drawn in characters. */
  readonly drawing: string;
  /** What it was drawn from. */
  readonly source: string;
  /** The same as an SVG image, which pages show instead; it never runs scripts there. */
  readonly svg?: string;
  /** The same in motion, as an SVG image. */
  readonly animation?: string;
}

/** One part of a section: a paragraph, a list, a table, a chart and so on. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: Text }
  | { readonly kind: 'quote'; readonly text: string }
  /** A remark beside the text: how to read a table, or what to be careful about. */
  | { readonly kind: 'aside'; readonly tone: 'note' | 'warning'; readonly text: Text }
  | { readonly kind: 'list'; readonly items: readonly Text[] }
  /** Short lines that belong together; a terminal shows them without bullets. */
  | { readonly kind: 'lines'; readonly lines: readonly Text[] }
  | { readonly kind: 'facts'; readonly rows: readonly (readonly [term: string, text: Text])[] }
  /** A few key figures, to be seen first. */
  | {
      readonly kind: 'figures';
      readonly figures: readonly { readonly name: string; readonly value: string; readonly explanation: string }[];
    }
  | {
      readonly kind: 'table';
      readonly columns: readonly Column[];
      readonly rows: readonly (readonly Text[])[];
      /** Columns too many for a terminal go into further tables that begin with the first column again. */
      readonly repeats?: true;
      /** Of what the table is, where that is not its section's title. */
      readonly caption?: string;
      /** A page shows the caption only, and the table when it is opened. */
      readonly isFolded?: true;
    }
  /** A table whose cells hold several lines of prose each; where that has no room, a list. */
  | {
      readonly kind: 'records';
      readonly fields: readonly string[];
      readonly rows: readonly (readonly (readonly Text[])[])[];
    }
  | { readonly kind: 'tree'; readonly branches: readonly Branch[] }
  | ({ readonly kind: 'drawing' } & Drawing)
  /** Where nothing can be drawn, the blocks `instead`; without these, the chart's own table. */
  | { readonly kind: 'chart'; readonly chart: Chart; readonly instead?: readonly Block[] }
  /** Several lines to be typed or copied as they are. */
  | { readonly kind: 'code'; readonly text: string };

/** Blocks under a heading, with sections below it. */
export interface Section {
  /** Null where it needs none. */
  readonly title: string | null;
  /** What links within a page call it. */
  readonly id?: string;
  readonly blocks: readonly Block[];
  readonly sections?: readonly Section[];
}

/** How a page names the command that made it, and what it is of. */
export function generatorOf(command: 'report' | 'ablate', of: string): string {
  return `icecore ${command} of ${of}`;
}

/** A whole result for people, which a renderer turns into text, Markdown or a page. */
export interface Document {
  /** Null for output that needs none, such as a bare list. */
  readonly title: string | null;
  readonly subtitle?: string;
  readonly blocks: readonly Block[];
  readonly sections: readonly Section[];
  /** What made the document, and when. */
  readonly footer?: string;
}

/** A paragraph made of pieces of text. */
export function paragraph(...text: Words): Block {
  return { kind: 'paragraph', text };
}

/** Text that is quoted as somebody wrote it. */
export function quote(text: string): Block {
  return { kind: 'quote', text };
}

/** A remark beside the text. */
export function note(text: Text): Block {
  return { kind: 'aside', tone: 'note', text };
}

/** A remark about something to be careful about. */
export function warning(text: Text): Block {
  return { kind: 'aside', tone: 'warning', text };
}

/** A list of items. */
export function list(items: readonly Text[]): Block {
  return { kind: 'list', items };
}

/** Short lines that belong together. */
export function lines(all: readonly Text[]): Block {
  return { kind: 'lines', lines: all };
}

/** Rows without a text are left out. */
export function facts(rows: readonly (readonly [term: string, text: Text | null])[]): Block {
  return { kind: 'facts', rows: rows.flatMap(([term, text]) => (text === null ? [] : [[term, text] as const])) };
}

/** How a table is shown: its caption, and whether it is folded or repeats its first column. */
export type TableOptions = Omit<Extract<Block, { kind: 'table' }>, 'kind' | 'columns' | 'rows'>;

/** A column with what it says of each row. */
export interface ColumnOf<Row> extends Column {
  readonly cell: (row: Row) => Text;
}

/** A column of numbers. */
export function right<Row>(title: string, cell: ColumnOf<Row>['cell']): ColumnOf<Row> {
  return { title, align: 'right', cell };
}

/** Columns without any text are left out. */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly ColumnOf<Row>[],
  options: TableOptions = {},
): Extract<Block, { kind: 'table' }> {
  const filledColumns = columns
    .map(({ cell, ...column }) => ({ column, cells: rows.map((row) => cell(row)) }))
    .filter(({ cells }) => cells.some((text) => plainText(text) !== ''));
  return {
    kind: 'table',
    columns: filledColumns.map(({ column }) => column),
    rows: rows.map((_, i) => filledColumns.map(({ cells }) => cells[i] ?? '')),
    ...options,
  };
}

/** A tree of branches. */
export function tree(branches: readonly Branch[]): Block {
  return { kind: 'tree', branches };
}

/** A drawing in characters. */
export function drawing(drawn: Drawing): Block {
  return { kind: 'drawing', ...drawn };
}

/** A chart. `instead`: what to show where nothing can be drawn; its own table where that is left out. */
export function chart(drawn: Chart, instead?: readonly Block[]): Block {
  return { kind: 'chart', chart: drawn, ...(instead === undefined ? {} : { instead }) };
}

/** Several lines to be typed or copied as they are. */
export function codeBlock(text: string): Block {
  return { kind: 'code', text };
}

/** Blocks under a heading; null for none. */
export function section(
  title: string | null,
  blocks: readonly Block[],
  more: Pick<Section, 'id' | 'sections'> = {},
): Section {
  return { title, blocks, ...more };
}

/** Sections with nothing in them are left out. */
export function filled(sections: readonly Section[]): readonly Section[] {
  return sections.filter(({ blocks, sections: inner = [] }) => blocks.length + inner.length > 0);
}

/** The pieces of a text; a plain string is one piece. */
export function pieces(text: Text): Words {
  return typeof text === 'string' ? [text] : text;
}

/** A text without its marks. */
export function plainText(text: Text): string {
  return pieces(text)
    .map((piece) => (typeof piece === 'string' ? piece : piece.text))
    .join('');
}

/** A block that needs nothing but characters: any but a chart. */
export type CharacterBlock = Exclude<Block, { kind: 'chart' }>;

/** Blocks where nothing but characters can be shown: each chart gives way to the blocks `instead`, or to its own table. */
export function withoutCharts(blocks: readonly Block[]): readonly CharacterBlock[] {
  return blocks.flatMap((block): readonly CharacterBlock[] =>
    block.kind === 'chart' ? withoutCharts(block.instead ?? chartBlocks(block.chart)) : [block],
  );
}

function chartBlocks({ title, caption, table: { columns, rows } }: Chart): readonly Block[] {
  return [
    { kind: 'paragraph', text: [{ mark: 'strong', text: title }] },
    { kind: 'aside', tone: 'note', text: caption },
    { kind: 'table', columns: columns.map((name) => ({ title: name })), rows, repeats: true },
  ];
}

/** A record as a branch: what it is about first, then what is said of it, field by field. */
export function recordBranch(fields: readonly string[], row: readonly (readonly Text[])[]): Branch {
  const [about = [], ...others] = row;
  const named = others.flatMap((all, i) => all.map((text): Text => [`${fields[i + 1] ?? ''}: `, ...pieces(text)]));
  return { lines: about, branches: named.map((text) => ({ lines: [text], branches: [] })) };
}

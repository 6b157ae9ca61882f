// A module as an engineer reads it: what stands at its beginning, and parts made of items that can be left out one by one
// where there is not room for all. Whatever came from a rollout stands indented and on lines of its own, with nothing in
// it that steers, so that it can not pass for anything else.

/** What can be cited, and how it reads: cells of a table, or lines. */
export interface Item {
  readonly evidenceIds: readonly string[];
  /** Whose row it is; absent where it is of no single family. */
  readonly family?: string;
  readonly cells?: readonly string[];
  readonly lines?: readonly string[];
}

/** What its items are; `fixed` ones are never left out. */
export type PartKind = 'fixed' | 'exemplars' | 'stages' | 'rows' | 'paragraphs';

export interface Part {
  readonly kind: PartKind;
  /** Empty where it needs none. */
  readonly title: string;
  /** Titles of columns, where its items have cells; empty where they need none. */
  readonly columns?: readonly string[];
  readonly items: readonly Item[];
  /** What is to be known to read it. */
  readonly notes?: readonly string[];
  /** How many of its items are left out. */
  readonly dropped?: number;
}

export interface Sheet {
  readonly module: string;
  readonly opening: readonly string[];
  readonly parts: readonly Part[];
}

/** Without a line break at its end. */
export function sheetText({ opening, parts }: Sheet): string {
  const blocks = [opening.join('\n'), ...parts.map(partText)];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function partText({ kind, title, columns, items, notes = [], dropped = 0 }: Part): string {
  const body = columns === undefined ? apart(items) : table(columns, items);
  const left = (which: string): string[] => (dropped === 0 ? [] : [`(${dropped} ${which} left out for want of room)`]);
  const [before, after] = kind === 'stages' ? [left('earlier'), []] : [[], left('more')];
  return [...(title === '' ? [] : [`${title}:`]), ...before, ...body, ...after, ...notes].join('\n');
}

function table(columns: readonly string[], items: readonly Item[]): string[] {
  if (items.length === 0) return [];
  return layout([...(columns.length === 0 ? [] : [columns]), ...items.map(({ cells = [] }) => cells)]).map(
    (line) => `  ${line}`,
  );
}

/** An empty line between items that have several. */
function apart(items: readonly Item[]): string[] {
  const isLong = items.some(({ lines = [] }) => lines.length > 1);
  return items.flatMap(({ lines = [] }, i) => (isLong && i > 0 ? ['', ...lines] : lines));
}

// Aligned columns of plain text that are the same bytes on every machine: a character counts as one column, whatever a
// terminal makes of it, since how wide it is depends on tables that change.

const gap = '  ';

const widthOf = (cell: string): number => [...cell].length;

/** A line a row, without spaces at its end. */
export function layout(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, widthOf(cell));
    });
  }
  return rows.map((row) =>
    row
      .map((cell, i) => cell + ' '.repeat((widths[i] as number) - widthOf(cell)))
      .join(gap)
      .trimEnd(),
  );
}

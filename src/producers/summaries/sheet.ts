// The text form of a module: an opening, and parts made of items that can be dropped one by one to save space. Text
// from rollouts is indented on separate lines without control characters, so that it cannot pass for anything else.

/** A citable item as text: cells of a table, or lines. */
export interface Item {
  readonly evidenceIds: readonly string[];
  /** The family of its row, if it belongs to a single one. */
  readonly family?: string;
  readonly cells?: readonly string[];
  readonly lines?: readonly string[];
}

/** The kind of its items; `fixed` ones are never dropped. */
export type PartKind = 'fixed' | 'exemplars' | 'stages' | 'rows' | 'paragraphs';

export interface Part {
  readonly kind: PartKind;
  /** Empty if it needs none. */
  readonly title: string;
  /** The column titles, if its items have cells; empty if they need none. */
  readonly columns?: readonly string[];
  readonly items: readonly Item[];
  /** Explanations for the reader. */
  readonly notes?: readonly string[];
  /** The number of dropped items. */
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
  const left = (which: string): string[] => (dropped === 0 ? [] : [`(${dropped} ${which} left out to save space)`]);
  const [before, after] = kind === 'stages' ? [left('earlier'), []] : [[], left('more')];
  return [...(title === '' ? [] : [`${title}:`]), ...before, ...body, ...after, ...notes].join('\n');
}

function table(columns: readonly string[], items: readonly Item[]): string[] {
  if (items.length === 0) return [];
  return layout([...(columns.length === 0 ? [] : [columns]), ...items.map(({ cells = [] }) => cells)]).map(
    (line) => `  ${line}`,
  );
}

/** With an empty line between items of several lines. */
function apart(items: readonly Item[]): string[] {
  const isLong = items.some(({ lines = [] }) => lines.length > 1);
  return items.flatMap(({ lines = [] }, i) => (isLong && i > 0 ? ['', ...lines] : lines));
}

// Aligned columns of plain text with the same bytes on every machine: every character counts as one column, because
// terminal widths depend on Unicode tables that change.

const gap = '  ';

const widthOf = (cell: string): number => [...cell].length;

/** One line per row, without trailing spaces. */
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

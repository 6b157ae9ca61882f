// The text of a context, taken apart: its modules, and where in a line an evidence id is shown.

export interface Section {
  /** Null: a part that every context begins with. */
  readonly module: string | null;
  readonly title: string;
  readonly lines: readonly string[];
}

/** Every module begins with a line `# behaviour: how often …`. */
export function sectionsOf(text: string, modules: readonly string[]): readonly Section[] {
  const sections: { module: string | null; title: string; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const heading = /^# (.+)$/.exec(line)?.[1];
    if (heading === undefined) {
      if (sections.length === 0) sections.push({ module: null, title: 'Beginning', lines: [] });
      sections.at(-1)?.lines.push(line);
      continue;
    }
    const module = modules.find((name) => heading.startsWith(`${name}: `)) ?? null;
    sections.push({ module, title: module === null ? heading : heading.slice(module.length + 2), lines: [] });
  }
  return sections.map((section) => ({ ...section, lines: withoutEmptyEnd(section.lines) }));
}

function withoutEmptyEnd(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(0, last + 1);
}

export interface Piece {
  readonly text: string;
  /** The evidence id of a figure or a rollout; null: other text. */
  readonly id: string | null;
}

interface Column {
  readonly name: string;
  readonly at: number;
}

/** Evidence ids are a row and a column of a table joined by a dot, the first word of a line, or a word in square brackets. */
export function piecesOf(lines: readonly string[], isKnown: (id: string) => boolean): readonly (readonly Piece[])[] {
  let columns: readonly Column[] = [];
  return lines.map((line, index) => {
    const row = /^\s*(\S+)/.exec(line)?.[1] ?? '';
    const cells = columns.filter(({ name }) => isKnown(`${row}.${name}`));
    if (row !== '' && cells.length > 0) return cut(line, cellsIn(line, row, columns, isKnown));
    const next = /^\s*(\S+)/.exec(lines[index + 1] ?? '')?.[1] ?? '';
    const headings = columnsIn(line);
    if (headings.some(({ name }) => isKnown(`${next}.${name}`))) columns = headings;
    else if (line.trim() === '') columns = [];
    return cut(line, wordsIn(line, isKnown));
  });
}

function columnsIn(line: string): readonly Column[] {
  return Array.from(line.matchAll(/\S+/g), (match) => ({ name: match[0], at: match.index }));
}

interface Mark {
  readonly from: number;
  readonly to: number;
  readonly id: string;
}

function cellsIn(line: string, row: string, columns: readonly Column[], isKnown: (id: string) => boolean): Mark[] {
  return columns.flatMap(({ name, at }, index) => {
    const id = `${row}.${name}`;
    const text = line.slice(at, columns[index + 1]?.at ?? line.length).trimEnd();
    return isKnown(id) && text !== '' ? [{ from: at, to: at + text.length, id }] : [];
  });
}

function wordsIn(line: string, isKnown: (id: string) => boolean): Mark[] {
  return Array.from(line.matchAll(/^\s*(\S+)|\[([^\][\s]+)\]/g), (match) => {
    const id = match[1] ?? match[2] ?? '';
    const from = match.index + match[0].indexOf(id);
    return { from, to: from + id.length, id };
  }).filter(({ id }) => isKnown(id));
}

function cut(line: string, marks: readonly Mark[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { from, to, id } of marks) {
    if (from > end) pieces.push({ text: line.slice(end, from), id: null });
    pieces.push({ text: line.slice(from, to), id });
    end = to;
  }
  if (end < line.length || pieces.length === 0) pieces.push({ text: line.slice(end), id: null });
  return pieces;
}

export interface LineChange {
  readonly kind: 'same' | 'left' | 'right';
  readonly line: string;
}

/** A longest common subsequence: lines of the same text in both, or only on the left or the right. */
export function differences(left: readonly string[], right: readonly string[]): readonly LineChange[] {
  const start = left.findIndex((line, index) => line !== right[index]);
  const head = start === -1 ? Math.min(left.length, right.length) : start;
  const [a, b] = [left.slice(head), right.slice(head)];
  const common = a.map(() => new Uint32Array(b.length + 1));
  common.push(new Uint32Array(b.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = common[i] as Uint32Array;
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const changes: LineChange[] = left.slice(0, head).map((line) => ({ kind: 'same', line }));
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      changes.push({ kind: 'same', line: a[i] as string });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      changes.push({ kind: 'left', line: a[i++] as string });
    } else {
      changes.push({ kind: 'right', line: b[j++] as string });
    }
  }
  return changes;
}

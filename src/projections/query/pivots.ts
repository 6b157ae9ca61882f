// A pivot that does not say which columns it makes: DuckDB finds them, in a statement of its own before the one that was
// written, and so its parser shows no tree of it. It shows one of the same text with an IN behind each pivoted expression.
// Words only tell where those might belong; the tree tells whether each was read as just that, and nothing else changed.
import { randomUUID } from 'node:crypto';
import { type Word, wordsOf } from './words.ts';

export interface Marked {
  readonly sql: string;
  /** How many expressions got an IN. */
  readonly pivots: number;
  /** Where a byte of the marked text is in the text as it was written. */
  unmarked(at: number): number;
  /** Whether every mark stands in the tree as the columns of a pivot, and nowhere else. */
  areReadIn(tree: unknown): boolean;
}

/** Null where nothing is pivoted without IN. The mark cannot be guessed, so no text can hold it already. */
export function marked(sql: string): Marked | null {
  const ends = expressionEnds(wordsOf(sql)).filter((end) => isBoundary(sql, end));
  if (ends.length === 0) return null;
  const name = `pivoted_${randomUUID().replaceAll('-', '')}`;
  const mark = ` IN ${name}`;
  const starts = [0, ...ends];
  const parts = starts.map((from, index) => sql.slice(from, starts[index + 1]));
  const places = ends.map((end, index) => Buffer.byteLength(sql.slice(0, end)) + index * mark.length);
  return {
    sql: parts.join(mark),
    pivots: ends.length,
    unmarked: (at) => at - mark.length * places.filter((place) => place < at).length,
    areReadIn: (tree) => {
      const shown = JSON.stringify(tree);
      const asColumns = shown.split(`"pivot_enum":"${name}"`).length - 1;
      return asColumns === ends.length && shown.split(name).length - 1 === ends.length;
    },
  };
}

/** Whatever word stands before it ends there, with the mark and without. */
const isBoundary = (sql: string, end: number): boolean => /^(?:[ \t\r\n,);]|--|\/\*|$)/.test(sql.slice(end));

const pivoting: ReadonlySet<string> = new Set(['PIVOT', 'PIVOT_WIDER']);
const endsPivot: ReadonlySet<string> = new Set([...pivoting, 'UNION', 'INTERSECT', 'EXCEPT', ';']);
const endsColumns: ReadonlySet<string> = new Set(['USING', 'GROUP', 'ORDER', 'LIMIT', 'OFFSET', 'FETCH']);

interface Leveled extends Word {
  /** How many brackets are open around it; a bracket stands outside of itself. */
  readonly level: number;
}

function leveled(words: readonly Word[]): readonly Leveled[] {
  let level = 0;
  return words.map((word) => {
    if (/^[)\]}]$/.test(word.text)) level--;
    const found = { ...word, level };
    if (/^[([{]$/.test(word.text)) level++;
    return found;
  });
}

function expressionEnds(words: readonly Word[]): readonly number[] {
  const all = leveled(words);
  return all
    .flatMap(({ text, level }, index) => (pivoting.has(text) ? endsBehind(all.slice(index + 1), level) : []))
    .sort((one, other) => one - other);
}

/** The last ON belongs to the pivot: those before it join what is pivoted. */
function endsBehind(words: readonly Leveled[], level: number): readonly number[] {
  const pivot = until(words, (word) => word.level < level || (word.level === level && endsPivot.has(word.text)));
  if (isPartOfFrom(pivot, level)) return [];
  const on = pivot.findLastIndex((word) => word.level === level && word.text === 'ON');
  if (on < 0) return [];
  const columns = until(pivot.slice(on + 1), (word) => word.level === level && endsColumns.has(word.text));
  return separated(columns, level).flatMap((column) => {
    const end = column.at(-1)?.to;
    const isNamed = column.some((word) => word.level === level && word.text === 'IN');
    return end === undefined || isNamed ? [] : [end];
  });
}

/** `FROM rollouts PIVOT (count(*) FOR outcome IN (...))` always says which columns. */
const isPartOfFrom = (pivot: readonly Leveled[], level: number): boolean =>
  pivot[0]?.text === '(' &&
  until(pivot.slice(1), (word) => word.level === level).some((word) => word.level === level + 1 && word.text === 'FOR');

function separated(words: readonly Leveled[], level: number): readonly (readonly Leveled[])[] {
  const comma = words.findIndex((word) => word.level === level && word.text === ',');
  return comma < 0 ? [words] : [words.slice(0, comma), ...separated(words.slice(comma + 1), level)];
}

function until(words: readonly Leveled[], ends: (word: Leveled) => boolean): readonly Leveled[] {
  const end = words.findIndex(ends);
  return end < 0 ? words : words.slice(0, end);
}

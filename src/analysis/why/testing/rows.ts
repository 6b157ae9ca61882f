// Rows of two origins made comparable: of sums that were reckoned in another order the last digits are others, and nothing
// says in which order rows come.
import { canonicalJson } from '../../../../schemas/canonical.ts';

export type Row = Readonly<Record<string, unknown>>;

export type Cells = readonly string[];

/** Without rows that tell nothing but what they are of. */
export function sameRows(rows: readonly Row[]): Cells {
  const telling = rows.filter(({ stage: _, family: __, ...row }) =>
    Object.values(row).some((value) => (value ?? null) !== null),
  );
  return telling.map((row) => canonicalJson(cellOf(row))).sort();
}

function cellOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return Number(value.toPrecision(9));
  if (Array.isArray(value)) return value.map(cellOf);
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cellOf(one)]));
}

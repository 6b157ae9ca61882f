// Ranges of whole numbers, of offsets or of revisions; ends included.

export interface Range {
  readonly first: number;
  readonly last: number;
}

/** In ascending order; what touches or overlaps becomes one. */
export function joined(ranges: readonly Range[]): readonly Range[] {
  const all: { first: number; last: number }[] = [];
  for (const { first, last } of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = all.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else all.push({ first, last });
  }
  return all;
}

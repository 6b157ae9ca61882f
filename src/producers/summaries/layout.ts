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

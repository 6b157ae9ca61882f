// Measured numbers as people compare them: a column's with as many decimals as its numbers need for five digits that
// matter. Whoever needs them all takes CSV or JSON.
const digits = 5;
const mostDecimals = 6;

/** Beyond these a number is read by its exponent. */
const plain = { from: 1e-4, below: 1e15 };

/** The numbers of one column; null is left alone. */
export function rounded(values: readonly (number | null)[]): readonly (string | null)[] {
  const decimals = values.reduce<number>((most, value) => Math.max(most, decimalsOf(value)), 1);
  return values.map((value) => (value === null ? null : written(value, decimals)));
}

function isPlain(value: number): boolean {
  const size = Math.abs(value);
  return value === 0 || (size >= plain.from && size < plain.below);
}

/** How many decimals are left of this number when it is rounded. */
function decimalsOf(value: number | null): number {
  if (value === null || value === 0 || !isPlain(value)) return 0;
  const wanted = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  return (
    Math.abs(value)
      .toFixed(Math.min(wanted, mostDecimals))
      .replace(/\.?0+$/, '')
      .split('.')[1]?.length ?? 0
  );
}

function written(value: number, decimals: number): string {
  if (isPlain(value)) return value.toFixed(decimals);
  return Number.isFinite(value) ? Number(value.toPrecision(digits)).toExponential() : String(value);
}

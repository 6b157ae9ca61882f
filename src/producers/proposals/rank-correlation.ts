// Whether two lists rise and fall together, whatever their scales: the correlation of their ranks after Spearman. Equal
// values share the mean of the ranks they take up.

/** From -1 to 1; null where there are fewer than two pairs, or all of a list are equal. */
export function rankCorrelation(one: readonly number[], other: readonly number[]): number | null {
  const [a, b] = [centredRanks(one), centredRanks(other)];
  const spread = Math.sqrt(product(a, a) * product(b, b));
  return spread === 0 ? null : product(a, b) / spread;
}

/** Less the mean of all ranks, so that they sum to 0. */
function centredRanks(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const above = values.filter((other) => other > value).length;
    return (below - above) / 2;
  });
}

function product(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

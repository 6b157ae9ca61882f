// Whole numbers in place of shares, as near to them as whole numbers can be.

/** Where a product of shares and counts lies this close to a half, it is one. */
const tiny = 1e-9;

export function nearest(value: number): number {
  return Math.floor(value + 0.5 + tiny);
}

/** Parts of `count` in proportion to `shares`, which sum to 1: what is left over goes to the largest remainders. */
export function apportion(shares: readonly number[], count: number): number[] {
  const parts = shares.map((share) => Math.floor(share * count));
  const left = count - parts.reduce((sum, part) => sum + part, 0);
  const byRemainder = shares
    .map((share, index) => ({ index, remainder: share * count - (parts[index] as number) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  for (const { index } of byRemainder.slice(0, Math.max(left, 0))) parts[index] = (parts[index] as number) + 1;
  return parts;
}

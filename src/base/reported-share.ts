// Shares that programs report beside the counts they come from.

/** Programs round what they print, to two places or more; half a place is not exact in binary. */
export const reportedRounding = 0.005 + 1e-9;

/** Whether a reported share is that of the counts, up to its rounding. */
export function isShareOf(share: number, count: number, of: number): boolean {
  return Math.abs(share - count / of) <= reportedRounding;
}

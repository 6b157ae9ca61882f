// Several comparisons at once: of twenty that are all alike, one looks different. After Holm, they are wrong together no more
// often than a single one.

/** What each p counts for among all of them, in their order. */
export function holm(ps: readonly number[]): readonly number[] {
  const order = ps.map((p, i) => ({ p, i })).sort((a, b) => a.p - b.p);
  const adjusted = [...ps];
  let most = 0;
  order.forEach(({ p, i }, rank) => {
    most = Math.max(most, Math.min(1, p * (ps.length - rank)));
    adjusted[i] = most;
  });
  return adjusted;
}

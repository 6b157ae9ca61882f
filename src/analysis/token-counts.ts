// What counts of tokens by kind come to.

/** Reasoning is part of the output, cached tokens are part of the input, and the total is both. */
const parts: ReadonlySet<string> = new Set(['reasoning', 'cached', 'total']);

/** The total alone counts only where nothing else was counted. */
export function tokensIn(counts: Readonly<Record<string, number>>): number {
  let sum = 0;
  for (const [kind, tokens] of Object.entries(counts)) if (!parts.has(kind)) sum += tokens;
  return sum === 0 ? (counts['total'] ?? 0) : sum;
}

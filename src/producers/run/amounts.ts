// Amounts by unit, as budgets and what was spent have them.

export type Amounts = Readonly<Record<string, number>>;

/** What one of them does not tell of counts as nothing. */
export function totalOf(amounts: readonly Amounts[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const one of amounts) {
    for (const [unit, amount] of Object.entries(one)) total[unit] = (total[unit] ?? 0) + amount;
  }
  return total;
}

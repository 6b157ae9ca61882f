// What something costs, in so many digits as matter.

const rounded = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 });

/** Amounts of cents have two digits behind the point, smaller ones as many as it takes. */
export function money(amount: number, currency: string): string {
  return `${amount >= 0.1 ? amount.toFixed(2) : rounded.format(amount)} ${currency}`;
}

// Formats values and sentences for charts.

/** The number and the sign stay on one line. */
const sign = '\u00a0%';

/** Never rounds to 100 % or 0 % unless the share is exactly that. */
export function percent(share: number | null, digits = 1): string {
  if (share === null) return 'not recorded';
  const text = (100 * share).toFixed(digits);
  if (Number(text) === 100 && share < 1) return `>\u00a099${sign}`;
  if (Number(text) === 0 && share > 0) return `<\u00a0${digits === 0 ? 1 : 0.1}${sign}`;
  return `${text}${sign}`;
}

interface Interval {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** `33.1 % [31, 35]`. */
export function rateWords({ value, low, high }: Interval): string {
  if (low === null || high === null || value === null) return percent(value);
  const shown = Number((100 * value).toFixed(1));
  // In whole percent, an interval near 0 or 100 % might not contain its rate.
  const containsRate = Math.round(100 * low) <= shown && shown <= Math.round(100 * high);
  const decimals = containsRate ? 0 : 1;
  return `${percent(value)} [${(100 * low).toFixed(decimals)},\u00a0${(100 * high).toFixed(decimals)}]`;
}

export function numberWords(value: number | null): string {
  return value === null ? 'none' : String(Number(value.toPrecision(4)));
}

/** `one family`, `3 families`, `no family`. */
export function many(count: number, noun: string, plural = `${noun}s`): string {
  if (count === 0) return `no ${noun}`;
  return count === 1 ? `one ${noun}` : `${count} ${plural}`;
}

/** The name of a family is often a number, so it always follows the word family. */
export function familiesWords(names: readonly string[]): string {
  return `${names.length === 1 ? 'family' : 'families'} ${listed(names)}`;
}

export function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}

export function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** Only if not all stages are drawn. */
export function drawnOf(drawn: number, all: number): string {
  return drawn === all ? '' : ` ${drawn} of ${all} stages are shown.`;
}

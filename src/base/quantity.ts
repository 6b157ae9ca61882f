// Numbers for people: grouped, rounded and with their unit.

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const rounded = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

/** Rounded to a whole number, its digits in groups: `12,345`. */
export function count(number: number): string {
  return grouped.format(number);
}

/** `3 events`, `1 event`. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${count(number)} ${number === 1 ? noun : plural}`;
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${rounded.format(value)} ${units[unit]}`;
}

/** `12 ms`, `4.2 s`, `3 min 5 s`. */
export function duration(seconds: number): string {
  if (seconds < 0.0995) return `${rounded.format(Math.round(seconds * 1000))} ms`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** A number from a plugin or a file, as short as possible. */
export function shortNumber(number: number): string {
  if (Number.isInteger(number) && Math.abs(number) < 1e15) return String(number);
  return String(Number(number.toPrecision(4)));
}

const cents = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 });

/** Amounts of 0.1 and more have two decimals, smaller ones as many as needed. */
export function money(amount: number, currency: string): string {
  return `${amount >= 0.1 ? amount.toFixed(2) : cents.format(amount)} ${currency}`;
}

/** By unit. */
export type Amounts = Readonly<Record<string, number>>;

/** The sum by unit; a missing unit counts as zero. */
export function totalOf(amounts: readonly Amounts[]): Record<string, number> {
  // A unit may have the name of a member that every object inherits.
  const total = new Map<string, number>();
  for (const one of amounts) {
    for (const [unit, amount] of Object.entries(one)) total.set(unit, (total.get(unit) ?? 0) + amount);
  }
  return Object.fromEntries(total);
}

/** `400,000 agent-steps, 32 updates`. */
export function amountsText(amounts: Readonly<Record<string, number>>): string {
  return Object.entries(amounts)
    .map(([unit, amount]) => `${count(amount)} ${unit}`)
    .join(', ');
}

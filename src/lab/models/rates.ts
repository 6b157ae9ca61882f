// How long an endpoint wants to be left alone, in each of the ways in which endpoints say it.
import { type Fields, fieldsOf } from './fields.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** In milliseconds; null where it does not say. */
export function waitAskedFor(headers: Headers, error: Fields, now: number): number | null {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  return retryAfter(headers['retry-after'], now) ?? retryInfo(error) ?? waitUntilReset(headers);
}

/** A number of seconds or a date. */
function retryAfter(value: string | string[] | undefined, now: number): number | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds < 0 ? null : seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Google has it in the error. */
function retryInfo({ details }: Fields): number | null {
  for (const detail of Array.isArray(details) ? details : []) {
    const wait = duration(fieldsOf(detail)['retryDelay']);
    if (wait !== null) return wait;
  }
  return null;
}

/**
 * What is left of the allowance of requests or tokens; where nothing is left, until it is filled again. `needed`: how
 * many tokens the next request may count for.
 */
export function waitUntilReset(headers: Headers, needed = 1): number | null {
  const waits = [resetOf(headers, 'requests', 1), resetOf(headers, 'tokens', needed)].filter((wait) => wait !== null);
  return waits.length === 0 ? null : Math.max(...waits);
}

function resetOf(headers: Headers, of: 'requests' | 'tokens', needed: number): number | null {
  const remaining = headers[`x-ratelimit-remaining-${of}`];
  if (typeof remaining !== 'string' || !/^\d+$/.test(remaining) || Number(remaining) >= needed) return null;
  return duration(headers[`x-ratelimit-reset-${of}`]);
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `6m0s`, `1.5s`, `250ms`, or a bare number of seconds; one that can only be a date is none. */
function duration(value: unknown): number | null {
  if (typeof value !== 'string' || value.length > 40) return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) < 1e6 ? Number(value) * 1000 : null;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(value)) return null;
  let sum = 0;
  for (const [, amount, unit = ''] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    sum += Number(amount) * (units[unit] ?? 0);
  return sum;
}

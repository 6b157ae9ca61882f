// Errors of options: where, what was found, and what is allowed.
import { IcecoreError } from '../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../schemas/nearest.ts';

/** Throws for a value that callers without types may give. */
export function requireOneOf(field: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value)) throw badOption(field, String(value), allowed.join(', '), { known: allowed });
}

/** Suggests the nearest of the known names. */
export function badOption(
  field: string,
  found: string,
  allowed: string,
  { known = [], remedy = '' }: { readonly known?: readonly string[]; readonly remedy?: string } = {},
): IcecoreError {
  const near = nearestNames(found, known);
  // Options are named as written.
  const shown = found.startsWith('--') ? found : `"${found}"`;
  return new IcecoreError('usage', `${field}: found ${shown}, allowed: ${allowed}`, {
    facts: { field, found, allowed: known.length > 0 ? known : allowed, nearest: near },
    remedy: didYouMean(near, remedy),
  });
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly isWhole?: boolean;
}

/** The value of an option, which may come from untyped code. Throws a usage error if it is out of range. */
export function checkedNumber(field: string, value: number, { from, to, isWhole = true }: Range): number {
  const isRight = isWhole ? Number.isSafeInteger(value) : typeof value === 'number';
  if (isRight && value >= from && value <= to) return value;
  const kind = isWhole ? 'a whole number' : 'a number';
  const allowed = `${kind} from ${from.toLocaleString('en')} to ${to.toLocaleString('en')}`;
  const found = String(value);
  throw new IcecoreError('usage', `${field}: found ${found}, allowed: ${allowed}`, {
    facts: { field, found, allowed },
  });
}

/** A share strictly between two bounds. */
export function checkedShare(field: string, value: number, above = 0): number {
  if (value > above && value < 1) return value;
  throw badOption(field, String(value), `a share above ${above} and below 1`);
}

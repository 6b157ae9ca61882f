// What is wrong with an option: where, what was found, and what is allowed.
import { IcecoreError } from '../../schemas/errors.ts';
import { nearestNames } from '../../schemas/nearest.ts';

/** The error names the nearest of the known names. */
export function badOption(
  field: string,
  found: string,
  allowed: string,
  { known = [], remedy = '' }: { readonly known?: readonly string[]; readonly remedy?: string } = {},
): IcecoreError {
  const near = nearestNames(found, known);
  return new IcecoreError('usage', `${field}: found "${found}", allowed: ${allowed}`, {
    facts: { field, found, allowed: known.length > 0 ? known : allowed, nearest: near },
    remedy: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : remedy,
  });
}

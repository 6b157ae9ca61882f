// A store that does not answer tells nothing of what it holds: it is waited for, or asked again later.
import { IcecoreError } from '../../schemas/errors.ts';

export function isAway(error: unknown): error is IcecoreError {
  return error instanceof IcecoreError && error.kind === 'unavailable';
}

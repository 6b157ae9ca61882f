// The findings of a look at something: what was looked at, how it is, what to do about it.
import { IcecoreError } from '../../schemas/errors.ts';

export interface Check {
  /** What was looked at, in a word or two: `format`, `durability`. */
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly found: string;
  /** What to do about it; empty where nothing is. */
  readonly remedy: string;
}

export function ok(name: string, found: string): Check {
  return { name, status: 'ok', found, remedy: '' };
}

export function warning(name: string, found: string, remedy: string): Check {
  return { name, status: 'warning', found, remedy };
}

export function failure(name: string, error: unknown): Check {
  const remedy = error instanceof IcecoreError ? error.remedy : '';
  return { name, status: 'failed', found: error instanceof Error ? error.message : String(error), remedy };
}

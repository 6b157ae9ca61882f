// What an engineer believes of a family before it decides: how often the policy solves its tasks, how much they teach, and
// whether it works well enough to be left alone.
import { wilson } from '../../statistics/wilson.ts';
import type { Figure } from './evidence.ts';

export interface Belief {
  readonly family: string;
  /** How often the current policy solves its tasks; null where nothing is known of that. */
  readonly rate: number | null;
  /** How much there is to learn from it, against others, from 0 to 1; null where nothing is known of that. */
  readonly worth: number | null;
  readonly works: boolean;
  readonly cites: readonly string[];
  readonly reason: string;
}

/** A family works when its rate is at least this for sure. */
const working = 0.6;

export function works({ value, count, of }: Figure): boolean {
  if (of === null || of === 0) return value >= working;
  return wilson(count ?? value * of, of).low >= working;
}

/** How much a task teaches that is solved at this rate: most where it is solved half of the time. */
export function spread(rate: number): number {
  return 4 * rate * (1 - rate);
}

export function percent(value: number): string {
  return `${Math.round(100 * value)} %`;
}

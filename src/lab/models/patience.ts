// How often a question is asked again after a passing fault, and how long is waited before.
import { Random } from '../random.ts';
import { ModelFault } from './faults/fault.ts';
import { RateLimited, ServerFailed } from './faults/refusing.ts';

/** Two minutes and more, where the endpoint does not say how long it wants to be left alone. */
export const mostAttempts = 8;

const firstPauseMs = 1000;
const longestPauseMs = 60_000;

/** Who wants to be left alone for longer is left alone for good: nobody waits for that. */
export const longestWaitMs = 5 * 60_000;

export interface Pause {
  readonly ms: number;
  /** Whether the endpoint wants to be left alone by everybody. */
  readonly isForAll: boolean;
}

/**
 * What to wait before the next attempt; null when there shall be none. Half of a pause is left to chance, so that not all
 * come back at the same moment. Chance follows from the question: nothing but these pauses depends on it.
 */
export function pauseAfter(fault: unknown, made: number, key: string): Pause | null {
  if (!(fault instanceof ModelFault) || !fault.isPassing || made >= mostAttempts) return null;
  const chance = new Random(key, 'pause', made).fraction();
  const wait = fault instanceof RateLimited || fault instanceof ServerFailed ? fault.waitMs : null;
  const isForAll = wait !== null || fault instanceof RateLimited;
  if (wait !== null) return wait > longestWaitMs ? null : { ms: wait + firstPauseMs * chance, isForAll };
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (made - 1));
  return { ms: pause * (0.5 + chance / 2), isForAll };
}

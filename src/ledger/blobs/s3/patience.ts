// Tries again what failed on the way: a server that is overloaded, a connection that broke.
import { setTimeout as pause } from 'node:timers/promises';
import { BlobsUnavailable } from './faults.ts';

export interface Patience {
  readonly attempts: number;
  /** Before the second attempt; twice as long before each later one. Half of it is left to chance. */
  readonly firstPauseMs: number;
  /** For the server to begin with its answer. */
  readonly answerMs: number;
}

export const usualPatience: Patience = { attempts: 6, firstPauseMs: 200, answerMs: 120_000 };

/** What may go well another time; `message` says what happened. */
export class Stumble extends Error {
  override readonly name = 'Stumble';
}

/** Throws what is no stumble at once, and BlobsUnavailable when there were too many. */
export async function patiently<Result>(
  { attempts, firstPauseMs }: Patience,
  url: string,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let made = 1; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (made >= attempts) throw new BlobsUnavailable(url, describe(error), attempts, error);
      await pause(firstPauseMs * 2 ** (made - 1) * (0.5 + Math.random() / 2));
    }
  }
}

/** A stumble, or what `fetch` throws when a connection could not be made or broke: a TypeError with a cause. */
export function isPassing(error: unknown): boolean {
  return error instanceof Stumble || (error instanceof TypeError && error.cause !== undefined);
}

/** What `fetch` hides in its causes: `connect ECONNREFUSED 127.0.0.1:9000`. */
function describe(error: unknown): string {
  let found = error;
  while (found instanceof Error && found.cause instanceof Error) found = found.cause;
  if (found instanceof AggregateError) found = found.errors[0];
  return found instanceof Error ? found.message || found.name : String(found);
}

// Tries again what stumbled, until the patience is over.
import { setTimeout as pause } from 'node:timers/promises';
import { TopicMissing } from './errors.ts';
import { Stumble, TopicUnheardOf } from './stumble.ts';

const firstPauseMs = 20;
const longestPauseMs = 1_000;
/** A topic that was just made is known to every broker soon. */
const topicComesWithinMs = 500;

/**
 * The patience begins with the first stumble. Throws what is no stumble at once, TopicMissing for a topic that does not
 * come, and otherwise what `givenUp` makes of the last stumble. Ends with the reason of the signal.
 */
export async function patiently<Result>(
  patienceMs: number,
  attempt: () => Promise<Result>,
  givenUp: (last: Stumble) => Error,
  signal: AbortSignal,
): Promise<Result> {
  let since: number | null = null;
  let unheardOfSince: number | null = null;
  for (let stumbles = 0; ; stumbles++) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Stumble)) throw error;
      const pauseMs = Math.min(firstPauseMs * 2 ** stumbles, longestPauseMs) * (0.5 + Math.random() / 2);
      const resumed = performance.now() + pauseMs;
      since ??= performance.now();
      if (error instanceof TopicUnheardOf) {
        unheardOfSince ??= performance.now();
        if (resumed - unheardOfSince > Math.min(topicComesWithinMs, patienceMs)) throw new TopicMissing(error.topic);
      } else unheardOfSince = null;
      if (resumed - since > patienceMs) throw givenUp(error);
      await pause(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

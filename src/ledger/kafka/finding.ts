// Finding events by their ids. The ids of one stream mostly rise, so the index knows of each span which it may hold.
import type { StoredEvent } from '../stored.ts';
import type { Log } from './log.ts';
import type { StreamReading } from './stream-reading.ts';

const digitsOfId = 32;

/** At most so many events whose ids begin so; at least four digits must be given. */
export async function findById(
  log: Log,
  reading: StreamReading,
  beginning: string,
  limit: number,
  signal: AbortSignal,
): Promise<readonly StoredEvent[]> {
  const digits = beginning.toLowerCase().replaceAll('-', '');
  if (!/^[0-9a-f]{4,32}$/.test(digits)) return [];
  const { all } = log.lanes;
  await log.takeAllIn(all, await log.ends(all), signal);
  const [low, high] = [digits.padEnd(digitsOfId, '0'), digits.padEnd(digitsOfId, 'f')];
  const found = new Map<string, StoredEvent>();
  for (const { stream, from, to } of log.index.candidates(low, high, limit)) {
    for await (const events of reading.read(stream, { from, to }, signal)) {
      for (const event of events) {
        if (event.filedId < low || event.filedId > high) continue;
        found.set(`${stream}@${event.revision}`, event);
        if (found.size >= limit) return [...found.values()];
      }
    }
  }
  return [...found.values()];
}

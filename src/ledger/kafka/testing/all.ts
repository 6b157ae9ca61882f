// The whole of a ledger in memory, read with a few records in one answer.
import { collect } from '../../contract/fixture.ts';
import type { ReadAllOptions } from '../../ledger.ts';
import type { StoredEvent } from '../../stored.ts';
import { onAndOn, type PartsInMemory } from './parts-in-memory.ts';

export const answerBytes = 2_000;

export async function all({ feeds }: PartsInMemory, options: ReadAllOptions = {}): Promise<StoredEvent[]> {
  return await collect(feeds.ofAll(options, onAndOn));
}

export function named(events: readonly StoredEvent[]): string[] {
  return events.map(({ stream, revision }) => `${stream}@${revision}`);
}

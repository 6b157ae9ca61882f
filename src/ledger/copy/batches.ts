// A transaction's worth of events at a time.
import type { StoredEvent } from '../stored.ts';

const batchEvents = 1000;
const batchCharacters = 4_000_000;

export async function* batches(pages: AsyncIterable<readonly StoredEvent[]>): AsyncGenerator<readonly StoredEvent[]> {
  let batch: StoredEvent[] = [];
  let characters = 0;
  for await (const page of pages) {
    for (const event of page) {
      batch.push(event);
      characters += event.body.length;
      if (batch.length < batchEvents && characters < batchCharacters) continue;
      yield batch;
      batch = [];
      characters = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

// How many events of each stream belong to what was there when a copy began: what was added since is not copied.
import { type Cursor, isWithin } from '../event.ts';
import { eventAt, type Ledger, type StreamEnd } from '../ledger.ts';

export interface StreamPart {
  readonly stream: string;
  /** Its first so many events. */
  readonly count: number;
}

export async function* partsUpTo(
  ledger: Ledger,
  ends: AsyncIterable<StreamEnd>,
  until: Cursor,
): AsyncGenerator<StreamPart> {
  for await (const { stream, revision, cursor } of ends) {
    const isWhole = isWithin(ledger.compareCursors(cursor, until));
    const count = isWhole ? revision + 1 : await countUpTo(ledger, stream, revision, until);
    if (count > 0) yield { stream, count };
  }
}

export async function* allStreams(ledger: Ledger): AsyncGenerator<StreamEnd> {
  for await (const ends of ledger.streams()) yield* ends;
}

/** How many of the events before a revision: by bisection, since revisions and the order of the ledger grow together. */
async function countUpTo(ledger: Ledger, stream: string, before: number, until: Cursor): Promise<number> {
  let [low, high] = [0, before];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (await isBefore(ledger, stream, middle, until)) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function isBefore(ledger: Ledger, stream: string, revision: number, until: Cursor): Promise<boolean> {
  const event = await eventAt(ledger, { stream, revision });
  return event !== null && isWithin(ledger.compareCursors(event.cursor, until));
}

// The place of a head in a ledger is after its first events, as many as the head has. Its cursor is only of the store that it was
// made of: a copy in another store has the same events in the same order, with other cursors.
import type { LedgerHead } from '../../../schemas/head.ts';
import type { Cursor } from '../event.ts';
import type { EventRange, Ledger } from '../ledger.ts';

/** The number of events in a piece. */
export const pieceEvents = 10_000;

/** The pieces of a part of the ledger. If it has more than `events`, one of the pieces ends after the first `events`. */
export async function* piecesAround(
  ledger: Ledger,
  events: number,
  span: Parameters<Ledger['ranges']>[1] = {},
): AsyncGenerator<EventRange> {
  let left = events;
  for (const range of await ledger.ranges(pieceEvents, span)) {
    yield* cut(ledger, range, left);
    left -= range.events;
  }
}

async function* cut(ledger: Ledger, range: EventRange, events: number): AsyncGenerator<EventRange> {
  const { after, until } = range;
  const isCut = events > 0 && events < range.events;
  const [first] = isCut ? await ledger.ranges(events, { after: after ?? undefined, until }) : [];
  yield first ?? range;
  if (first === undefined) return;
  // A store may begin with a smaller range.
  const rest = { after: first.until, until, events: range.events - first.events };
  yield* cut(ledger, rest, events - first.events);
}

/** The cursor after the events of the head; null: the ledger has fewer, or the head has none. */
export async function endOf({ events }: LedgerHead, ledger: Ledger): Promise<Cursor | null> {
  let left = events;
  for await (const piece of piecesAround(ledger, events)) {
    left -= piece.events;
    if (left === 0) return piece.until;
  }
  return null;
}

// Filtered subscriptions to all events: first the existing ones, page by page, then new ones as they are committed. Like
// EventStoreDB, the server sends checkpoints of its progress, up to a page late.
import type { Database, Recorded } from './database.ts';
import { invalidPosition } from './refusals.ts';

export type Said =
  | { readonly kind: 'event'; readonly event: Recorded }
  | { readonly kind: 'checkpoint'; readonly place: Place }
  | { readonly kind: 'caught-up' };

export interface Filter {
  readonly matches: (event: Recorded) => boolean;
  /** The number of events per page, and between two checkpoints. */
  readonly window: number;
  readonly interval: number;
}

const pageEvents = 32;
/** With more new events than these, the subscription has fallen behind: it catches up again, and reports it again. */
const liveEvents = 32;

export interface Place {
  readonly commit: number;
  /** Less than `commit` between events: an event at that place comes after it. */
  readonly prepare: number;
}

/** What follows a place; null: everything. */
export async function* subscription(
  database: Database,
  after: Place | null,
  { matches, window, interval }: Filter,
  ended: AbortSignal,
): AsyncGenerator<Said, void> {
  let said = after === null ? -1 : after.prepare < after.commit ? after.commit - 1 : after.commit;
  let looked = 0;
  let next = after?.commit ?? 0;
  for (;;) {
    // Catching up.
    for (let isOver = false; !isOver; ) {
      const start = database.indexFrom(next);
      if (start === null) throw invalidPosition();
      const current = next;
      let considered = 0;
      for (let events = 0; events < pageEvents && considered < window; considered++) {
        const event = database.all[start + considered];
        if (event === undefined) {
          isOver = true;
          break;
        }
        next = event.end;
        if (event.position <= said || !matches(event)) continue;
        events++;
        said = event.position;
        yield { kind: 'event', event };
      }
      looked += considered;
      if (isOver || looked >= interval) {
        looked %= interval;
        // If an event was sent since, the checkpoint is that event.
        yield said >= current
          ? { kind: 'checkpoint', place: { commit: said, prepare: said } }
          : { kind: 'checkpoint', place: { commit: current, prepare: 0 } };
      }
      await new Promise((resolve) => setImmediate(resolve));
      if (ended.aborted) return;
    }
    yield { kind: 'caught-up' };
    // Live, until more events arrive at once than it can buffer.
    for (;;) {
      const from = database.indexFrom(next) ?? database.all.length;
      if (database.all.length - from > liveEvents) break;
      for (const event of database.all.slice(from)) {
        next = event.end;
        looked++;
        if (matches(event)) {
          said = event.position;
          yield { kind: 'event', event };
        } else if (looked >= interval) {
          looked = 0;
          yield { kind: 'checkpoint', place: { commit: event.position, prepare: event.position } };
        }
      }
      if ((database.all.at(-1)?.end ?? 0) > next) continue;
      await database.news(ended);
      if (ended.aborted) return;
    }
  }
}

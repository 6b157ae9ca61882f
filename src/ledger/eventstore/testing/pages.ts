// The log of all events, a page at a time. A page ends when it is full or when enough events were looked at, and says
// where the next one begins: behind what it looked at last, which need not be the place of an event.
import type { Database } from './database.ts';
import { type Matches, visible } from './filters.ts';
import type { Position } from './positions.ts';
import type { Recorded } from './recorded.ts';
import { unknownResult } from './refusals.ts';

export const pageSize = 32;

export interface Page {
  readonly events: readonly Recorded[];
  readonly considered: number;
  readonly next: Position;
  readonly isEnd: boolean;
}

export interface PageRequest {
  readonly matches: Matches;
  readonly count: number;
  /** How many events are looked at before the page is given up. */
  readonly window: number;
}

/** From a place on, it included; null from the middle of an event. */
export function pageFrom(database: Database, from: Position, request: PageRequest): Page | null {
  const start = database.indexFrom(from);
  if (start === null) return null;
  const events: Recorded[] = [];
  let next = from;
  let considered = 0;
  while (events.length < request.count && considered < request.window) {
    const event = database.all[start + considered];
    if (event === undefined) return { events, considered, next, isEnd: true };
    considered++;
    if (request.matches(event)) events.push(event);
    next = { commit: event.end, prepare: 0 };
  }
  return { events, considered, next, isEnd: false };
}

export function* allForwards(database: Database, from: Position, count: number): Generator<Recorded, void> {
  let left = count;
  let place = from;
  while (left > 0) {
    const request = { matches: visible, count: Math.min(pageSize, left), window: Number.POSITIVE_INFINITY };
    const page = pageFrom(database, place, request);
    if (page === null) throw unknownResult('ReadAllResult: InvalidPosition');
    yield* page.events;
    if (page.isEnd) return;
    left -= page.events.length;
    place = page.next;
  }
}

/** Of what is before a place. */
export function* allBackwards(database: Database, before: Position, count: number): Generator<Recorded, void> {
  let left = count;
  const start = database.indexFrom({ commit: before.commit, prepare: 0 });
  if (start === null) throw unknownResult('ReadAllResult: InvalidPosition');
  const { all } = database;
  for (let i = start - 1; i >= 0 && left > 0; i--) {
    const event = all[i];
    if (event === undefined || !visible(event)) continue;
    left--;
    yield event;
  }
}

// The events of the whole ledger in order, filtered without scanning it: each wanted stream or type is a lane of its own,
// read through its index, and the lanes are merged by position. All lanes of a round look no further than the same
// position, so that an event committed meanwhile waits for the next round instead of overtaking.
import type { SQLInputValue } from 'node:sqlite';
import type { StoredEvent } from '../stored.ts';
import type { Page, Reading } from './reading.ts';

export interface Wanted {
  readonly types?: readonly string[] | undefined;
  readonly streams?: readonly string[] | undefined;
  /** Who wants few events gets small pages. */
  readonly limit?: number | undefined;
}

/** Both ends excluded. */
export interface Span {
  readonly after: number;
  readonly before: number;
}

export interface Merged {
  readonly events: readonly StoredEvent[];
  /** The position of the last of them. */
  readonly position: number;
}

interface Lane {
  next(span: Span): Page;
}

/** The wanted events of a span, page by page, in order or in reverse order. */
export function* merged(reading: Reading, wanted: Wanted, span: Span, backwards: boolean): Generator<Merged> {
  const lanes = lanesOf(reading, wanted, backwards);
  const only = lanes.length === 1 ? lanes[0] : undefined;
  yield* only === undefined ? merge(lanes, span, backwards) : drain(only, span, backwards);
}

function* drain(lane: Lane, span: Span, backwards: boolean): Generator<Merged> {
  let rest = span;
  for (;;) {
    const page = lane.next(rest);
    const position = page.positions.at(-1);
    if (position === undefined) return;
    yield { events: page.events, position };
    if (!page.full) return;
    rest = backwards ? { ...rest, before: position } : { ...rest, after: position };
  }
}

/** A lane that is being merged: the page at hand and how far it is used up. */
interface Hand {
  readonly lane: Lane;
  page: Page;
  at: number;
}

function* merge(lanes: readonly Lane[], span: Span, backwards: boolean): Generator<Merged> {
  let hands = lanes.map((lane): Hand => ({ lane, page: lane.next(span), at: 0 }));
  let events: StoredEvent[] = [];
  let position = 0;
  for (;;) {
    hands = hands.filter((hand) => refill(hand, span, backwards));
    const next = nearest(hands, backwards);
    if (next === undefined) break;
    events.push(next.page.events[next.at] as StoredEvent);
    position = next.page.positions[next.at] as number;
    next.at++;
    if (events.length === batch) {
      yield { events, position };
      events = [];
    }
  }
  if (events.length > 0) yield { events, position };
}

const batch = 1000;

/** False when the lane has come to its end. */
function refill(hand: Hand, span: Span, backwards: boolean): boolean {
  if (hand.at < hand.page.events.length) return true;
  const position = hand.page.positions.at(-1);
  if (position === undefined || !hand.page.full) return false;
  hand.page = hand.lane.next(backwards ? { ...span, before: position } : { ...span, after: position });
  hand.at = 0;
  return hand.page.events.length > 0;
}

function nearest(hands: readonly Hand[], backwards: boolean): Hand | undefined {
  let found: Hand | undefined;
  for (const hand of hands) {
    if (found === undefined || backwards !== positionOf(hand) < positionOf(found)) found = hand;
  }
  return found;
}

function positionOf(hand: Hand): number {
  return hand.page.positions[hand.at] as number;
}

function lanesOf(reading: Reading, wanted: Wanted, backwards: boolean): Lane[] {
  const order = backwards ? 'DESC' : 'ASC';
  const page: ReadPage = (where, parameters) => reading.page(where, parameters, wanted.limit);
  const types = wanted.types === undefined ? null : numbers(wanted.types, (name) => reading.types.numberOf(name));
  if (wanted.streams !== undefined) {
    const streams = numbers(wanted.streams, (name) => reading.streams.numberOf(name));
    return streams.map((stream) => streamLane(reading, page, stream, types, order));
  }
  if (types === null) return [indexLane(page, '', [], order)];
  return types.map((type) => indexLane(page, 'type = ? AND ', [type], order));
}

type ReadPage = (where: string, parameters: readonly SQLInputValue[]) => Page;

function numbers(names: readonly string[], find: (name: string) => number | null): number[] {
  return [...new Set(names)].map(find).filter((number) => number !== null);
}

/** A lane whose index is ordered by position: the table itself, or a type's. */
function indexLane(page: ReadPage, filter: string, parameters: readonly SQLInputValue[], order: string): Lane {
  const where = `${filter}position > ? AND position < ? ORDER BY position ${order}`;
  return { next: ({ after, before }) => page(where, [...parameters, after, before]) };
}

/** A stream's index is ordered by revision. Both orders agree, so the span is turned into revisions by bisection. */
function streamLane(
  reading: Reading,
  page: ReadPage,
  stream: number,
  types: readonly number[] | null,
  order: string,
): Lane {
  const only = types === null ? '' : ` AND type IN (${types.map(() => '?').join(', ')})`;
  const where = `stream = ? AND revision > ? AND revision < ?${only} ORDER BY revision ${order}`;
  return {
    next: ({ after, before }) => {
      const from = reading.revisionsBefore(stream, after + 1) - 1;
      const to = reading.revisionsBefore(stream, before);
      return page(where, [stream, from, to, ...(types ?? [])]);
    },
  };
}

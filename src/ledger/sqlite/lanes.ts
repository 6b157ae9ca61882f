// The events of the whole ledger in order, filtered without scanning it: each wanted stream or type is a lane of its own,
// read through its index, and the lanes are merged by position. All lanes of a round look no further than the same
// position, so that an event committed meanwhile waits for the next round instead of overtaking.
import type { SQLInputValue } from 'node:sqlite';
import { Nearest } from '../../base/nearest.ts';
import type { StoredEvent } from '../stored.ts';
import { type Page, pageCharacters, pageEvents, type Reading } from './reading.ts';

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

/** One index read from one end of the span to the other: a page at each call, the next one after it; null at the end. */
type Lane = () => Page | null;

/** The wanted events of a span, page by page, in order or in reverse order. */
export function* merged(reading: Reading, wanted: Wanted, span: Span, backwards: boolean): Generator<Merged> {
  const lanes = lanesOf(reading, wanted, span, backwards);
  const only = lanes.length === 1 ? lanes[0] : undefined;
  yield* only === undefined ? merge(lanes, backwards, wanted.limit ?? Number.POSITIVE_INFINITY) : drain(only);
}

function* drain(lane: Lane): Generator<Merged> {
  for (let page = lane(); page !== null; page = lane()) {
    const position = page.positions.at(-1);
    if (position !== undefined) yield { events: page.events, position };
  }
}

/** A lane that is being merged: the page at hand and how far it is used up. */
interface Hand {
  readonly lane: Lane;
  page: Page;
  at: number;
}

const nothingYet: Page = { events: [], positions: [], full: true };

function* merge(lanes: readonly Lane[], backwards: boolean, limit: number): Generator<Merged> {
  const hands = lanes.map((lane): Hand => ({ lane, page: nothingYet, at: 0 })).filter(refill);
  const nearest = new Nearest(hands, (a, b) => backwards !== positionOf(a) < positionOf(b));
  let events: StoredEvent[] = [];
  let characters = 0;
  let position = 0;
  for (let left = limit; left > 0; left--) {
    const next = nearest.first;
    if (next === undefined) break;
    const event = next.page.events[next.at] as StoredEvent;
    events.push(event);
    characters += event.body.length;
    position = positionOf(next);
    next.at++;
    if (refill(next)) nearest.moved();
    else nearest.removeFirst();
    if (events.length < pageEvents && characters < pageCharacters) continue;
    yield { events, position };
    events = [];
    characters = 0;
  }
  if (events.length > 0) yield { events, position };
}

/** False when the lane has come to its end. */
function refill(hand: Hand): boolean {
  while (hand.at >= hand.page.events.length) {
    const page = hand.lane();
    if (page === null) return false;
    hand.page = page;
    hand.at = 0;
  }
  return true;
}

function positionOf(hand: Hand): number {
  return hand.page.positions[hand.at] as number;
}

type ReadPage = (where: string, parameters: readonly SQLInputValue[]) => Page;

/** Many lanes get small pages, so that all of them together hold no more than a few. */
function lanesOf(reading: Reading, wanted: Wanted, span: Span, backwards: boolean): Lane[] {
  const types = wanted.types === undefined ? null : numbers(wanted.types, (name) => reading.types.numberOf(name));
  const streams =
    wanted.streams === undefined ? null : numbers(wanted.streams, (name) => reading.streams.numberOf(name));
  const count = streams?.length ?? types?.length ?? 1;
  const share = Math.max(16, Math.ceil((2 * pageEvents) / Math.max(count, 2)));
  const rows = Math.min(wanted.limit ?? pageEvents, count === 1 ? pageEvents : share);
  const characters = count === 1 ? pageCharacters : (2 * pageCharacters) / count;
  const page: ReadPage = (where, parameters) => reading.page(where, parameters, rows, characters);
  if (streams !== null) return streams.map((stream) => streamLane(reading, page, stream, types, span, backwards));
  if (types !== null) return types.map((type) => positionLane(page, 'type = ? AND ', [type], span, backwards));
  return [positionLane(page, '', [], span, backwards)];
}

function numbers(names: readonly string[], find: (name: string) => number | null): number[] {
  return [...new Set(names)].map(find).filter((number) => number !== null);
}

/** A lane whose index is ordered by position: the table itself, or a type's. */
function positionLane(
  page: ReadPage,
  filter: string,
  parameters: readonly SQLInputValue[],
  span: Span,
  backwards: boolean,
): Lane {
  const where = `${filter}position > ? AND position < ? ORDER BY position ${backwards ? 'DESC' : 'ASC'}`;
  let { after, before } = span;
  return () => {
    if (after + 1 >= before) return null;
    const found = page(where, [...parameters, after, before]);
    const last = found.positions.at(-1);
    if (last === undefined || !found.full) after = before;
    else if (backwards) before = last;
    else after = last;
    return found;
  };
}

/** So many revisions of a stream are looked at in one step, however few of them are of a wanted type. */
const stretch = 5000;

/** A stream's index is ordered by revision; both orders agree, so the span is turned into revisions once. */
function streamLane(
  reading: Reading,
  page: ReadPage,
  stream: number,
  types: readonly number[] | null,
  span: Span,
  backwards: boolean,
): Lane {
  const only = types === null ? '' : ` AND type IN (${types.map(() => '?').join(', ')})`;
  const where = `stream = ? AND revision BETWEEN ? AND ?${only} ORDER BY revision ${backwards ? 'DESC' : 'ASC'}`;
  let rest: { from: number; to: number } | null = null;
  return () => {
    rest ??= revisionsWithin(reading, stream, span);
    if (rest.from > rest.to) return null;
    const from = backwards ? Math.max(rest.from, rest.to - stretch + 1) : rest.from;
    const to = backwards ? rest.to : Math.min(rest.to, rest.from + stretch - 1);
    const found = page(where, [stream, from, to, ...(types ?? [])]);
    const last = found.full ? found.events.at(-1)?.revision : undefined;
    rest = backwards ? { ...rest, to: (last ?? from) - 1 } : { ...rest, from: (last ?? to) + 1 };
    return found;
  };
}

/** A stream with nothing new, as most are most of the time, costs one look at its end. */
function revisionsWithin(reading: Reading, stream: number, { after, before }: Span): { from: number; to: number } {
  const end = reading.endOf(stream);
  if (end === null || end.position <= after) return { from: 0, to: -1 };
  const count = end.revision + 1;
  const from = after === 0 ? 0 : reading.revisionsBefore(stream, after + 1, count);
  const to = end.position < before ? end.revision : reading.revisionsBefore(stream, before, count) - 1;
  return { from, to };
}

// Selects events of the whole ledger in order without reading all of it: each requested stream or type is scanned through its
// index, and the scans are merged by position. All scans of a round stop at the same position, so that an event committed
// meanwhile waits for the next round instead of overtaking others.
import type { SQLInputValue } from 'node:sqlite';
import { MergeHeap } from '../../base/merge-heap.ts';
import type { StoredEvent } from '../stored.ts';
import { type Page, type Pages, pageCharacters, pageEvents } from './pages.ts';

export interface Selection {
  readonly types?: readonly string[] | undefined;
  readonly streams?: readonly string[] | undefined;
  /** Small selections are read in small pages. */
  readonly limit?: number | undefined;
}

/** Positions, both ends exclusive. */
export interface Range {
  readonly after: number;
  readonly before: number;
}

export interface Merged {
  readonly events: readonly StoredEvent[];
  /** The position of the last of them. */
  readonly position: number;
}

/** A scan of one index from one end of the range to the other: each call returns the next page; null at the end. */
type Scan = () => Page | null;

/** The selected events of a range, page by page, in order or in reverse order. */
export function* merged(pages: Pages, selection: Selection, range: Range, backwards: boolean): Generator<Merged> {
  const scans = scansOf(pages, selection, range, backwards);
  const [only] = scans;
  if (only === undefined || scans.length > 1) {
    yield* merge(scans, backwards, selection.limit ?? Number.POSITIVE_INFINITY);
    return;
  }
  for (let page = only(); page !== null; page = only()) {
    const position = page.positions.at(-1);
    if (position !== undefined) yield { events: page.events, position };
  }
}

/** A scan that is being merged: its current page, and the index of the next event in it. */
interface Source {
  readonly scan: Scan;
  page: Page;
  at: number;
}

const nothingYet: Page = { events: [], positions: [], full: true };

function* merge(scans: readonly Scan[], backwards: boolean, limit: number): Generator<Merged> {
  const sources = scans.map((scan): Source => ({ scan, page: nothingYet, at: 0 })).filter(refill);
  const nearest = new MergeHeap(sources, (a, b) => backwards !== positionOf(a) < positionOf(b));
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

/** False: the scan has ended. */
function refill(source: Source): boolean {
  while (source.at >= source.page.events.length) {
    const page = source.scan();
    if (page === null) return false;
    source.page = page;
    source.at = 0;
  }
  return true;
}

function positionOf({ page, at }: Source): number {
  return page.positions[at] as number;
}

type ReadPage = (where: string, parameters: readonly SQLInputValue[]) => Page;

/** The more scans, the smaller their pages, so that all of them together hold no more than a few pages. */
function scansOf(pages: Pages, selection: Selection, range: Range, backwards: boolean): Scan[] {
  const types = selection.types === undefined ? null : numbers(selection.types, (name) => pages.types.numberOf(name));
  const streams =
    selection.streams === undefined ? null : numbers(selection.streams, (name) => pages.streams.numberOf(name));
  const count = streams?.length ?? types?.length ?? 1;
  const share = Math.max(16, Math.ceil((2 * pageEvents) / Math.max(count, 2)));
  const rows = Math.min(selection.limit ?? pageEvents, count === 1 ? pageEvents : share);
  const characters = count === 1 ? pageCharacters : (2 * pageCharacters) / count;
  const page: ReadPage = (where, parameters) => pages.page(where, parameters, rows, characters);
  if (streams !== null) return streams.map((stream) => scanStream(pages, page, stream, types, range, backwards));
  if (types !== null) return types.map((type) => scanPositions(page, 'type = ? AND ', [type], range, backwards));
  return [scanPositions(page, '', [], range, backwards)];
}

function numbers(names: readonly string[], find: (name: string) => number | null): number[] {
  return [...new Set(names)].map(find).filter((number) => number !== null);
}

/** Scans an index that is ordered by position: the table itself, or that of a type. */
function scanPositions(
  page: ReadPage,
  filter: string,
  parameters: readonly SQLInputValue[],
  range: Range,
  backwards: boolean,
): Scan {
  const where = `${filter}position > ? AND position < ? ORDER BY position ${backwards ? 'DESC' : 'ASC'}`;
  let { after, before } = range;
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

/** The number of revisions that one step examines, however few of them match. */
const revisionsAtOnce = 5000;

/** A stream's index is ordered by revision. Both orders agree, so the range is converted to revisions once. */
function scanStream(
  pages: Pages,
  page: ReadPage,
  stream: number,
  types: readonly number[] | null,
  range: Range,
  backwards: boolean,
): Scan {
  const only = types === null ? '' : ` AND type IN (${types.map(() => '?').join(', ')})`;
  const where = `stream = ? AND revision BETWEEN ? AND ?${only} ORDER BY revision ${backwards ? 'DESC' : 'ASC'}`;
  let rest: { from: number; to: number } | null = null;
  return () => {
    rest ??= revisionsWithin(pages, stream, range);
    if (rest.from > rest.to) return null;
    const from = backwards ? Math.max(rest.from, rest.to - revisionsAtOnce + 1) : rest.from;
    const to = backwards ? rest.to : Math.min(rest.to, rest.from + revisionsAtOnce - 1);
    const found = page(where, [stream, from, to, ...(types ?? [])]);
    const last = found.full ? found.events.at(-1)?.revision : undefined;
    rest = backwards ? { ...rest, to: (last ?? from) - 1 } : { ...rest, from: (last ?? to) + 1 };
    return found;
  };
}

/** For a stream without new events, which is the usual case, this costs one lookup of its end. */
function revisionsWithin(pages: Pages, stream: number, { after, before }: Range): { from: number; to: number } {
  const end = pages.endOf(stream);
  if (end === null || end.position <= after) return { from: 0, to: -1 };
  const count = end.revision + 1;
  const from = after === 0 ? 0 : pages.revisionsBefore(stream, after + 1, count);
  const to = end.position < before ? end.revision : pages.revisionsBefore(stream, before, count) - 1;
  return { from, to };
}

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

/** A scan that is being merged: its current page, and the index of the next event in it. */
interface Source {
  readonly scan: Scan;
  page: Page;
  at: number;
}

const nothingYet: Page = { events: [], positions: [], full: true };

/** The selected events of a range, page by page, in order or in reverse order. */
export function* merged(pages: Pages, selection: Selection, range: Range, backwards: boolean): Generator<Merged> {
  const scans = scansOf(pages, selection, range, backwards);
  const [only] = scans;
  if (only === undefined || scans.length > 1) {
    yield* merge(scans, backwards, selection.limit ?? Number.POSITIVE_INFINITY);
    return;
  }
  // A tenth of the time of reading everything would go into merging one scan.
  for (let page = only(); page !== null; page = only()) {
    const position = page.positions.at(-1);
    if (position !== undefined) yield { events: page.events, position };
  }
}

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

/** The more scans, the smaller their pages, so that all of them together hold no more than a few pages. */
function scansOf(pages: Pages, selection: Selection, { after, before }: Range, backwards: boolean): Scan[] {
  const types = selection.types === undefined ? null : numbers(selection.types, (name) => pages.types.numberOf(name));
  const streams =
    selection.streams === undefined ? null : numbers(selection.streams, (name) => pages.streams.numberOf(name));
  const count = streams?.length ?? types?.length ?? 1;
  const share = Math.max(16, Math.ceil((2 * pageEvents) / Math.max(count, 2)));
  const size: PageSize = {
    rows: Math.min(selection.limit ?? pageEvents, count === 1 ? pageEvents : share),
    characters: count === 1 ? pageCharacters : (2 * pageCharacters) / count,
  };
  const scan = (span: Span): Scan => scanOf(pages, span, size, backwards);
  if (streams !== null) return streams.map((stream) => scan(revisionsWithin(pages, stream, types, { after, before })));
  const positions = { key: 'position', from: after + 1, to: before - 1 } as const;
  if (types === null) return [scan({ ...positions, filter: '', parameters: [] })];
  return types.map((type) => scan({ ...positions, filter: 'type = ? AND', parameters: [type] }));
}

function numbers(names: readonly string[], find: (name: string) => number | null): number[] {
  return [...new Set(names)].map(find).filter((number) => number !== null);
}

interface PageSize {
  readonly rows: number;
  readonly characters: number;
}

/** A part of an index that is ordered by `key`: the table itself, or the index of a type or a stream. Both ends inclusive. */
interface Span {
  readonly key: 'position' | 'revision';
  readonly filter: string;
  readonly parameters: readonly SQLInputValue[];
  readonly from: number;
  readonly to: number;
}

/** The number of revisions that one step examines, however few of them match. */
const revisionsAtOnce = 5000;

function scanOf(pages: Pages, span: Span, { rows, characters }: PageSize, backwards: boolean): Scan {
  const { key, filter, parameters } = span;
  const where = `${filter} ${key} BETWEEN ? AND ? ORDER BY ${key} ${backwards ? 'DESC' : 'ASC'}`;
  const atOnce = key === 'revision' ? revisionsAtOnce : Number.POSITIVE_INFINITY;
  let { from, to } = span;
  return () => {
    if (from > to) return null;
    const low = backwards ? Math.max(from, to - atOnce + 1) : from;
    const high = backwards ? to : Math.min(to, from + atOnce - 1);
    const page = pages.page(where, [...parameters, low, high], rows, characters);
    const last = key === 'revision' ? page.events.at(-1)?.revision : page.positions.at(-1);
    if (backwards) to = (page.full && last !== undefined ? last : low) - 1;
    else from = (page.full && last !== undefined ? last : high) + 1;
    return page;
  };
}

/**
 * A stream's index is ordered by revision. Both orders agree, so the range is converted to revisions once. For a stream without
 * new events, which is the usual case, this costs one lookup of its end.
 */
function revisionsWithin(
  pages: Pages,
  stream: number,
  types: readonly number[] | null,
  { after, before }: Range,
): Span {
  const only = types === null ? '' : `type IN (${types.map(() => '?').join(', ')}) AND`;
  const span = { key: 'revision', filter: `stream = ? AND ${only}`, parameters: [stream, ...(types ?? [])] } as const;
  const end = pages.endOf(stream);
  if (end === null || end.position <= after) return { ...span, from: 0, to: -1 };
  const count = end.revision + 1;
  const from = after === 0 ? 0 : pages.revisionsBefore(stream, after + 1, count);
  const to = end.position < before ? end.revision : pages.revisionsBefore(stream, before, count) - 1;
  return { ...span, from, to };
}

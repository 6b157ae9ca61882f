// What every part of the ledger says of events without loading their schemas: threads that only store or move events load
// this, since loading the schemas takes a thread longer than storing 10,000 rollouts.

/** No store takes a larger event; larger texts are blobs. EventStoreDB takes a mebibyte in one append. */
export const maxEventBytes = 1_000_000;

/** A position in the whole ledger: an opaque string, meaningful to the ledger that gave it and compared by it. */
export type Cursor = string;

/** How one cursor compares with another; `concurrent` where the ledger puts neither first. */
export type CursorOrder = 'before' | 'equal' | 'after' | 'concurrent';

/** Whether what has this order to an end is not after it: of several feeds, in none of them. */
export function isWithin(order: CursorOrder): boolean {
  return order === 'before' || order === 'equal';
}

/**
 * What the writer believes about the stream's end.
 * - `any`: no belief; evidence with a single writer, notes by anyone.
 * - `none`: the stream does not exist yet.
 * - `exists`: the stream has at least one event.
 * - a revision: that is the last one there.
 */
export type Expectation = 'any' | 'none' | 'exists' | number;

/** An event that was checked and is written except its place, which depends on the end of its stream. */
export interface PreparedEvent {
  readonly id: string;
  readonly type: string;
  /** The canonical JSON up to the value of `previous`, and from `run` on: `revision` comes between them. */
  readonly head: string;
  readonly closing: string;
}

/** The canonical JSON of an event at its place in the stream: what is hashed and stored. */
export function bodyAt(event: PreparedEvent, revision: number, previous: string | null): string {
  const before = previous === null ? 'null' : `"${previous}"`;
  return `${event.head}${before},"revision":${revision}${event.closing}`;
}

/** Whether a Date can hold it. */
export function isMoment(milliseconds: number): boolean {
  return Number.isInteger(milliseconds) && Math.abs(milliseconds) <= 8.64e15;
}

/** An id without its dashes, as events are filed. */
export function plainId(id: string): string {
  return id.replaceAll('-', '').toLowerCase();
}

/** The digits of a whole id, or of a prefix long enough to search for; null for anything else. */
export function idDigits(id: string): string | null {
  const digits = plainId(id);
  return /^[0-9a-f]{4,32}$/.test(digits) ? digits : null;
}

/** The id an event is filed under, written as ids are. */
export function uuidOf({ filedId }: { readonly filedId: string }): string {
  return filedId.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** `run-x@4`, as people and findings name an event. */
export function placeOf({ stream, revision }: { readonly stream: string; readonly revision: number }): string {
  return `${stream}@${revision}`;
}

export function countedEvents(events: number): string {
  return events === 1 ? '1 event' : `${events} events`;
}

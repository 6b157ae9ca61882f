// The parts of events that every part of the ledger shares: cursors, expectations, ids, and events before they have their place.

/** No store accepts a larger event; larger texts are blobs. EventStoreDB accepts up to a mebibyte per append. */
export const maxEventBytes = 1_000_000;

/** A position in the whole ledger: an opaque string that only this ledger can interpret and compare. */
export type Cursor = string;

/** How one cursor compares with another; `concurrent`: the ledger orders neither first. */
export type CursorOrder = 'before' | 'equal' | 'after' | 'concurrent';

/** Whether something with this order relative to an end is not after it, in any feed. */
export function isWithin(order: CursorOrder): boolean {
  return order === 'before' || order === 'equal';
}

/**
 * What the writer expects of the stream's end.
 * - `any`: no expectation; evidence with a single writer, notes by anyone.
 * - `none`: the stream does not exist yet.
 * - `exists`: the stream has at least one event.
 * - a revision: the last revision of the stream.
 */
export type Expectation = 'any' | 'none' | 'exists' | number;

/** A checked event, serialized except for its place, which depends on the end of its stream. */
export interface PreparedEvent {
  readonly id: string;
  readonly type: string;
  /** The canonical JSON up to the value of `previous`, and from `run` on; `revision` comes in between. */
  readonly head: string;
  readonly closing: string;
}

/** The canonical JSON of an event at its place in the stream, which is hashed and stored. */
export function bodyAt(
  { head, closing }: Pick<PreparedEvent, 'head' | 'closing'>,
  revision: number,
  previous: string | null,
): string {
  const before = previous === null ? 'null' : `"${previous}"`;
  return `${head}${before},"revision":${revision}${closing}`;
}

/** Whether a Date can represent it. */
export function isMoment(milliseconds: number): boolean {
  return Number.isInteger(milliseconds) && Math.abs(milliseconds) <= 8.64e15;
}

/** An id without its dashes, as stores index it. */
export function plainId(id: string): string {
  return id.replaceAll('-', '').toLowerCase();
}

/** The digits of a whole id, or of a prefix long enough for a search; null for anything else. */
export function idDigits(id: string): string | null {
  const digits = plainId(id);
  return /^[0-9a-f]{4,32}$/.test(digits) ? digits : null;
}

/** The id under which an event is stored, with dashes. */
export function uuidOf({ filedId }: { readonly filedId: string }): string {
  return filedId.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** `run-x@4`, the name of an event for people and in findings. */
export function placeOf({ stream, revision }: { readonly stream: string; readonly revision: number }): string {
  return `${stream}@${revision}`;
}

export function countedEvents(events: number): string {
  return events === 1 ? '1 event' : `${events} events`;
}

// Which records of a stream count. Kafka stores whatever is sent; a record counts when it stands where the stream ended
// before it, by a rule that every reader applies to the same log and so finds the same. What does not count is never shown
// as an event, and never forgotten: it is listed with the reason.
import type { Holder, Placed, Writer } from './wire.ts';

/** A stream as far as a reader has come. */
export interface StreamState {
  /** The next revision. */
  readonly next: number;
  /** The digest of the last event; null where there is none. */
  readonly last: string | null;
  /** Whose it is, where it carries no chain; null: whoever begins. */
  readonly writer: Holder | null;
}

export const newStream: StreamState = { next: 0, last: null, writer: null };

export const refusals = [
  'late', // its revision is taken: the same event again, or that of a writer who came second
  'gap', // events before it are missing
  'unchained', // it follows another event than the one that is there
  'fenced', // another writer has taken the stream over
  'foreign', // it does not say which event of which stream it is
  'empty', // no record at all: a mark of a transaction, or what was aborted
] as const;

export type Refusal = (typeof refusals)[number];

/** Null when it counts. */
export function refusalOf(placed: Placed, state: StreamState): Refusal | null {
  if (placed.revision < state.next) return 'late';
  if (placed.revision > state.next) return 'gap';
  if (placed.writer === null) return placed.previous === state.last ? null : 'unchained';
  return mayWrite(placed.writer, placed.revision, state) ? null : 'fenced';
}

/**
 * A stream is taken over with the first event of an append: were that one late and those behind it counted, they would stand
 * before it when it is sent again.
 */
function mayWrite(writer: Writer, revision: number, state: StreamState): boolean {
  if (isHeldBy(writer, state)) return true;
  return revision === writer.first && writer.epoch > (state.writer?.epoch ?? 0);
}

/** Whether nobody has taken the stream over since this one did. */
export function isHeldBy({ epoch, session }: Holder, { writer }: StreamState): boolean {
  return epoch === writer?.epoch && session === writer.session;
}

export function after(placed: Placed): StreamState {
  return { next: placed.revision + 1, last: placed.digest, writer: placed.writer };
}

// Plans what an append would store: which of its events already exist, and the bytes of the others at the known end of the
// stream. The rules are the same in every store.
import { isChained } from '../../../schemas/streams.ts';
import { Diverged, DuplicateId, WrongRevision } from '../errors.ts';
import { bodyAt, type Expectation, type PreparedEvent } from '../event.ts';
import { sha256 } from '../identity/ids.ts';
import { differences } from '../identity/sameness.ts';
import type { Skimmed, StoredEvent } from '../stored.ts';
import type { OutgoingEvent } from './log.ts';

/** The stored event with an id. */
export type Stored = Pick<OutgoingEvent, 'revision' | 'digest' | 'body'>;

/** An event to append, with its plain id. */
export type Outgoing = OutgoingEvent & { readonly id: string };

export interface Plan {
  readonly fresh: readonly Outgoing[];
  readonly existed: readonly boolean[];
  /** The digests of all given events, concatenated. */
  readonly digests: string;
  /** The last revision of the stream after the append. */
  readonly revision: number;
}

/** The end of a stream. */
export interface End {
  /** The next revision. */
  readonly next: number;
  /** The digest of the last event; null: there is none. */
  readonly last: string | null;
}

/** `stored` has, by plain id, the given events that are already in the stream. Throws WrongRevision, DuplicateId. */
export function planned(
  stream: string,
  { end, stored }: { readonly end: End; readonly stored: ReadonlyMap<string, Stored> },
  events: readonly PreparedEvent[],
  ids: readonly string[],
  expect: Expectation,
): Plan {
  const seen = new Map(stored);
  const find = (event: PreparedEvent, index: number): Stored | null => {
    const there = seen.get(ids[index] as string);
    if (there === undefined) return null;
    const differs = differences(there.body, bodyAt(event, 0, null));
    if (differs.length > 0) throw new DuplicateId(event.id, { stream, revision: there.revision }, differs);
    return there;
  };
  leadingRepeats({ stream, end: end.next - 1 }, events, expect, find);
  const chained = isChained(stream);
  const fresh: Outgoing[] = [];
  const existed: boolean[] = [];
  let digests = '';
  let revision = end.next - 1;
  let last = chained ? end.last : null;
  for (const [index, event] of events.entries()) {
    const there = find(event, index);
    existed.push(there !== null);
    if (there !== null) {
      digests += there.digest;
      continue;
    }
    const id = ids[index] as string;
    revision++;
    const body = bodyAt(event, revision, last);
    const outgoing = { id, revision, body, digest: sha256(body), recordedMs: null };
    fresh.push(outgoing);
    seen.set(id, outgoing);
    digests += outgoing.digest;
    if (chained) last = outgoing.digest;
  }
  return { fresh, existed, digests, revision };
}

/** Whether an event of another ledger comes next in its stream. Throws WrongRevision, Diverged. */
export function requireNext(
  { stream, revision }: Pick<StoredEvent, 'stream' | 'revision'>,
  { previous }: Pick<Skimmed, 'previous'>,
  { next, last }: End,
): void {
  if (revision !== next) throw new WrongRevision(stream, revision - 1, next - 1);
  if (isChained(stream) && previous !== last) throw new Diverged(stream, next - 1, previous ?? 'none', last ?? 'none');
}

/**
 * Compares the writer's expectation with the end of the stream (-1: it does not exist). Leading events that an earlier try of the
 * same append stored, right after the expected revision, count as expected and are returned as stored. `find` returns an event
 * of this stream. Throws WrongRevision.
 */
export function leadingRepeats<Found extends { readonly revision: number }>(
  { stream, end }: { readonly stream: string; readonly end: number },
  events: readonly PreparedEvent[],
  expect: Expectation,
  find: (event: PreparedEvent, index: number) => Found | null,
): readonly Found[] {
  if (expect === 'any') return [];
  if (expect === 'exists') {
    if (end < 0) throw new WrongRevision(stream, expect, end);
    return [];
  }
  let expected = expect === 'none' ? -1 : expect;
  const found: Found[] = [];
  for (const [index, event] of events.entries()) {
    if (end <= expected) break;
    const there = find(event, index);
    if (there === null || there.revision > expected + 1) break;
    expected = Math.max(expected, there.revision);
    found.push(there);
  }
  const allThere = found.length === events.length && events.length > 0;
  if (expected !== end && !allThere) throw new WrongRevision(stream, expect, end);
  return found;
}

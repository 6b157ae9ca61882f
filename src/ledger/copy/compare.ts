// Compares a copy with its original by their stored digests: before anything is written, so that nothing is written to
// diverged ledgers, and again at the end, to prove that both are equal.
import { Diverged } from '../errors.ts';
import { type Cursor, isWithin } from '../event.ts';
import { eventAt, type Head, type Ledger, type StreamEnd } from '../ledger.ts';
import { digestDigits, Span } from '../seal/span.ts';
import type { StoredEvent } from '../stored.ts';
import { copyAhead, notACopy, notEqual } from './errors.ts';

export type Progress = (done: number) => Promise<void>;

interface Comparison {
  /** The number of equal digests at the beginning. */
  readonly same: number;
  /** The next digest on either side; null: that side has ended. */
  readonly next: { readonly here: string | null; readonly there: string | null };
}

/** Stops at the first difference, or at the end of either side. Equal digests are added to `tree`. */
export async function compare(
  here: AsyncIterable<string>,
  there: AsyncIterable<string>,
  tree: Span,
  onProgress?: Progress,
): Promise<Comparison> {
  const [left, right] = [here[Symbol.asyncIterator](), there[Symbol.asyncIterator]()];
  /** What is left of a page on either side. */
  let [a, b] = ['', ''];
  let same = 0;
  try {
    for (;;) {
      a ||= await nextPage(left);
      b ||= await nextPage(right);
      const digits = Math.min(a.length, b.length);
      let common = a.slice(0, digits) === b.slice(0, digits) ? digits : 0;
      if (common < digits) while (a.startsWith(b.slice(common, common + digestDigits), common)) common += digestDigits;
      tree.addAll(a.slice(0, common));
      same += common / digestDigits;
      [a, b] = [a.slice(common), b.slice(common)];
      if (common < digits || digits === 0)
        return { same, next: { here: a.slice(0, digestDigits) || null, there: b.slice(0, digestDigits) || null } };
      await onProgress?.(tree.to);
    }
  } finally {
    await Promise.all([left.return?.(), right.return?.()]);
  }
}

/** Empty at the end. */
async function nextPage(pages: AsyncIterator<string>): Promise<string> {
  let page = await pages.next();
  while (page.done !== true && page.value === '') page = await pages.next();
  return page.done === true ? '' : page.value;
}

/**
 * The tree over the events of the copy, up to its given end. Throws NotACopy, CopyAhead unless they are the first events of the
 * original in the same order.
 */
export async function requireBeginning(
  from: Ledger,
  to: Ledger,
  end: Head,
  there: Head,
  progress: Progress,
): Promise<Span> {
  const tree = new Span();
  const here = from.digests({ until: end.cursor });
  const { same, next } = await compare(here, to.digests({ until: there.cursor }), tree, progress);
  if (next.there === null) return tree;
  if (next.here === null) throw copyAhead(from, to, { from: end.events, to: there.events });
  throw notACopy(from, to, same + 1, await nth(from, same), await nth(to, same));
}

/** Whether the ledger is a copy of all of the original, as far as it goes. An empty ledger is one if it was created as one. */
export async function isBeginning(from: Ledger, to: Ledger, progress: Progress): Promise<boolean> {
  return (await compare(from.digests({}), to.digests({}), new Span(), progress)).next.there === null;
}

/** From 0. */
async function nth(ledger: Ledger, index: number): Promise<StoredEvent> {
  let last: StoredEvent | undefined;
  for await (const events of ledger.readAll({ limit: index + 1 })) last = events.at(-1);
  if (last === undefined) throw new Error(`${ledger.url} has no event ${index}`);
  return last;
}

/** The number of events that both have. Throws Diverged if the copy has another event in one of these places; either may be longer. */
export async function requireSame(
  from: Ledger,
  to: Ledger,
  of: { stream: string; to?: number },
  progress?: Progress,
): Promise<number> {
  const { same, next } = await compare(from.digests(of), to.digests(of), new Span(), progress);
  if (next.here !== null && next.there !== null) throw new Diverged(of.stream, same, next.here, next.there);
  return same;
}

export interface StreamPart {
  readonly stream: string;
  /** The number of its events, from the first. */
  readonly count: number;
}

/** The number of events of each stream when the copy started; later events are not copied. */
export async function* partsUpTo(
  ledger: Ledger,
  ends: AsyncIterable<StreamEnd>,
  until: Cursor,
): AsyncGenerator<StreamPart> {
  const isUpTo = (cursor: Cursor): boolean => isWithin(ledger.compareCursors(cursor, until));
  for await (const { stream, revision, cursor } of ends) {
    // By bisection, since revisions and the order of the ledger increase together.
    let [low, high] = isUpTo(cursor) ? [revision + 1, revision + 1] : [0, revision];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const event = await eventAt(ledger, { stream, revision: middle });
      if (event !== null && isUpTo(event.cursor)) low = middle + 1;
      else high = middle;
    }
    if (low > 0) yield { stream, count: low };
  }
}

/** Proof that a copy has the same events as the original: their number, and a digest over all. */
export interface Proof {
  readonly events: number;
  readonly streams: number | null;
  /** Over all events in order if the copy has the order of the original; otherwise over the roots of its streams. */
  readonly root: string;
}

/** Proves that the copy has the same streams, as far as they were copied. */
export async function proveStreams(
  from: Ledger,
  to: Ledger,
  parts: AsyncIterable<StreamPart>,
  progress: Progress,
): Promise<Proof> {
  const roots = new Span();
  let events = 0;
  for await (const { stream, count } of parts) {
    const part = { stream, to: count - 1 };
    const tree = new Span();
    const before = events;
    const { same } = await compare(from.digests(part), to.digests(part), tree, (done) => progress(before + done));
    if (same < count) throw notEqual(`${stream}@${same}`, to);
    roots.add(tree.root());
    events += count;
    await progress(events);
  }
  return { events, streams: roots.to, root: roots.root() };
}

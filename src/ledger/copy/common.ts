// What a copy and its original have in common before anything is written: where they went different ways, nothing is.

import { Diverged } from '../errors.ts';
import type { Cursor } from '../event.ts';
import type { Head, Ledger } from '../ledger.ts';
import { Span } from '../seal/span.ts';
import type { StoredEvent } from '../stored.ts';
import { type Comparison, compare } from './compare.ts';
import { CopyAhead, NotACopy } from './errors.ts';

type Progress = (done: number) => Promise<void>;

export interface Beginning {
  /** Over the events of the copy, which are the first ones of the original. */
  readonly tree: Span;
  /** In the copy, behind the last of them. */
  readonly cursor: Cursor;
}

/** Throws NotACopy, CopyAhead where the copy is not the beginning of the original, in the same order. */
export async function requireBeginning(from: Ledger, to: Ledger, end: Head, progress: Progress): Promise<Beginning> {
  const there = await to.head();
  const tree = new Span();
  const { same, next } = await inOrder({ from, end }, { to, there }, tree, progress);
  if (next.there === null) return { tree, cursor: there.cursor };
  if (next.here === null) throw new CopyAhead(from, to, { from: end.events, to: there.events });
  throw new NotACopy(from, to, same + 1, await nth(from, same), await nth(to, same));
}

/** Is it, as far as it goes, a copy of all of it? One that has no events yet was made to become one. */
export async function isBeginning(from: Ledger, to: Ledger, progress: Progress): Promise<boolean> {
  const [end, there] = [await from.head(), await to.head()];
  return (await inOrder({ from, end }, { to, there }, new Span(), progress)).next.there === null;
}

function inOrder(
  { from, end }: { from: Ledger; end: Head },
  { to, there }: { to: Ledger; there: Head },
  tree: Span,
  progress: Progress,
): Promise<Comparison> {
  return compare(from.digests({ until: end.cursor }), to.digests({ until: there.cursor }), tree, progress);
}

/** How many both have. Throws Diverged where the copy has another event in the place of one of these; either may go further. */
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

/** From 0. */
async function nth(ledger: Ledger, index: number): Promise<StoredEvent> {
  let last: StoredEvent | undefined;
  for await (const events of ledger.readAll({ limit: index + 1 })) last = events.at(-1);
  if (last === undefined) throw new Error(`${ledger.url} has no event ${index}`);
  return last;
}

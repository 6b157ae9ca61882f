// Holds a copy against its original at the end, by the digests both have stored: they are the same in the same places, or
// the copy is not one.
import type { Cursor } from '../event.ts';
import type { Head, Ledger } from '../ledger.ts';
import { Span } from '../seal/span.ts';
import type { Beginning } from './common.ts';
import { compare } from './compare.ts';
import { NotEqual } from './errors.ts';
import type { StreamPart } from './stream-parts.ts';

export interface Proof {
  readonly events: number;
  readonly streams: number | null;
  /** Over all events in their order, where the copy has the order of the original; else over the roots of its streams. */
  readonly root: string;
}

type Progress = (done: number) => Promise<void>;

/** The copy has the same events in the same order; its beginning was compared before. */
export async function proveReplica(
  from: Ledger,
  to: Ledger,
  { begun, after, end }: { begun: Beginning; after: Cursor | null; end: Head },
  progress: Progress,
): Promise<Proof> {
  const { tree, cursor } = begun;
  const here = from.digests({ after, until: end.cursor });
  const { next } = await compare(here, to.digests({ after: cursor }), tree, progress);
  // Another that copies at the same time may have come further.
  if (next.here !== null) throw new NotEqual(`event ${tree.to + 1}`, to);
  return { events: tree.to, streams: null, root: tree.root() };
}

/** The copy has the same streams, as far as they were copied. */
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
    if (same < count) throw new NotEqual(`${stream}@${same}`, to);
    roots.add(tree.root());
    events += count;
    await progress(events);
  }
  return { events, streams: roots.to, root: roots.root() };
}

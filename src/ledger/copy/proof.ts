// Holds a copy against its original, by the digests both have stored: the Merkle roots over them are the same, or the copy is
// not one.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Cursor } from '../cursor.ts';
import type { DigestsOf, Head, Ledger } from '../ledger.ts';
import { Span } from '../seal/span.ts';

export interface Proof {
  readonly events: number;
  readonly streams: number | null;
  /** Over all events in their order, where the copy has the order of the original; else over the roots of its streams. */
  readonly root: string;
}

type Progress = (done: number, of: number | null) => Promise<void>;

/** The copy has the same events in the same order. */
export async function proveReplica(from: Ledger, to: Ledger, end: Head, progress: Progress): Promise<Proof> {
  const here = await treeOf(from, { until: end.cursor }, progress);
  const there = await treeOf(to, {}, progress);
  if (here.to !== there.to || here.root() !== there.root()) throw new NotEqual('the ledger', here, there, to.url);
  return { events: here.to, streams: null, root: here.root() };
}

/** The copy has the same streams, as far as they were copied: `streams` says how many events of each, null all of all. */
export async function proveStreams(
  from: Ledger,
  to: Ledger,
  streams: ReadonlyMap<string, number> | null,
  until: Cursor,
  progress: Progress,
): Promise<Proof> {
  const roots = new Span();
  let events = 0;
  for await (const [stream, count] of streams === null ? streamsUpTo(from, until) : streams) {
    const part = { stream, from: 0, to: count - 1 };
    const [here, there] = [await treeOf(from, part), await treeOf(to, part)];
    if (here.to !== there.to || here.root() !== there.root()) throw new NotEqual(stream, here, there, to.url);
    roots.add(here.root());
    events += here.to;
    await progress(events, null);
  }
  return { events, streams: roots.to, root: roots.root() };
}

/** Of every stream, how many events it had at a cursor: what was added since is not copied. */
async function* streamsUpTo(ledger: Ledger, until: Cursor): AsyncGenerator<readonly [string, number]> {
  for await (const ends of ledger.streams()) {
    for (const { stream, revision } of ends) {
      let last = -1;
      for (let at = revision; at >= 0 && last < 0; at--) {
        for await (const [event] of ledger.read(stream, { from: at, to: at })) {
          if (event !== undefined && ledger.compareCursors(event.cursor, until) !== 'after') last = at;
        }
      }
      if (last >= 0) yield [stream, last + 1];
    }
  }
}

async function treeOf(ledger: Ledger, of: DigestsOf, progress?: Progress): Promise<Span> {
  const tree = new Span();
  for await (const digests of ledger.digests(of)) {
    tree.addAll(digests);
    await progress?.(tree.to, null);
  }
  return tree;
}

export class NotEqual extends IcecoreError {
  override readonly name = 'NotEqual';

  constructor(what: string, here: Span, there: Span, to: string) {
    super(
      'damaged',
      `the copy is not equal: ${what} has ${here.to} events under ${short(here)}, there ${there.to} under ${short(there)}`,
      {
        facts: { what, here: here.root(), there: there.root(), to },
        remedy: 'Run `icecore verify` on both: one of them was altered.',
      },
    );
  }
}

function short(tree: Span): string {
  return `${tree.root().slice(0, 12)}…`;
}

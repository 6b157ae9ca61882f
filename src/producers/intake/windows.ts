// Groups pieces into windows: large enough for few commits, small enough to keep two in memory, one being read while
// the other is written. Within a window, events are grouped by stream, because an append is for one stream.
import type { IcecoreError } from '../../../schemas/errors.ts';
import { isChained } from '../../../schemas/streams.ts';
import type { Piece } from './pieces.ts';
import type { Outgoing } from './texts.ts';

export const most = { pieces: 512, bytes: 4 * 1024 * 1024 };

/** A live program may write an event and then none for an hour: a window waits at most this long for more. */
const idleMs = 200;

/** Windows that are full, or as full as they get before the input pauses or ends. */
export async function* windows(batches: AsyncIterable<Piece[]>): AsyncGenerator<Piece[]> {
  const source = batches[Symbol.asyncIterator]();
  let window = new Window();
  let coming = ahead(source);
  try {
    for (;;) {
      if (!window.isEmpty && (await isLate(coming))) {
        yield window.pieces;
        window = new Window();
      }
      const { done, value } = await coming;
      if (done === true) break;
      coming = ahead(source);
      for (const piece of value) {
        window.add(piece);
        if (!window.isFull) continue;
        yield window.pieces;
        window = new Window();
      }
    }
    if (!window.isEmpty) yield window.pieces;
  } finally {
    // Not awaited: closing an input waits for it, and it may pause for any time.
    source.return?.().catch(() => {});
  }
}

class Window {
  readonly pieces: Piece[] = [];
  #bytes = 0;

  add(piece: Piece): void {
    this.pieces.push(piece);
    this.#bytes += piece.size;
  }

  get isEmpty(): boolean {
    return this.pieces.length === 0;
  }

  get isFull(): boolean {
    return this.pieces.length >= most.pieces || this.#bytes >= most.bytes;
  }
}

/** Requested ahead of time: an earlier failure surfaces when it is awaited. */
function ahead<Item>(source: AsyncIterator<Item>): Promise<IteratorResult<Item>> {
  const coming = source.next();
  coming.catch(() => {});
  return coming;
}

function isLate(coming: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), idleMs);
    const here = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    coming.then(here, here);
  });
}

/** A piece with its event. */
export interface Taken extends Outgoing {
  readonly piece: Piece;
  readonly stream: string;
}

export interface Refused {
  readonly piece: Piece;
  readonly fault: IcecoreError;
}

/** Events of one stream, in order. */
export interface Group {
  readonly stream: string;
  readonly taken: readonly Taken[];
}

/**
 * The groups in append order. The order is kept within a stream and between a decision and everything around it, so
 * that a decision is never recorded before its evidence. Only interleaved evidence of several streams is separated,
 * because nothing depends on its relative order.
 */
export function groupsOf(taken: readonly Taken[]): readonly Group[] {
  const groups: { stream: string; taken: Taken[] }[] = [];
  const open = new Map<string, Taken[]>();
  for (const one of taken) {
    const { stream } = one;
    const group = open.get(stream);
    if (group !== undefined) {
      group.push(one);
      continue;
    }
    if (isChained(stream) || isChained(groups.at(-1)?.stream ?? stream)) open.clear();
    const own = [one];
    groups.push({ stream, taken: own });
    open.set(stream, own);
  }
  return groups;
}

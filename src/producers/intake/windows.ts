// Pieces are taken in by windows: large enough for few commits, small enough to hold two of them, one being read while the
// other is written. Within one, events are grouped by stream, because an append is of one stream.
import type { IcecoreError } from '../../../schemas/errors.ts';
import { isChained } from '../../../schemas/streams.ts';
import type { Piece } from './pieces.ts';
import type { Outgoing } from './texts.ts';

export const most = { pieces: 512, bytes: 4 * 1024 * 1024 };

/** A live program may write one event and then none for an hour: what has come is not kept waiting for longer than this. */
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
    // Not waited for: an input may pause for as long as it likes, and closing it waits for it.
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

/** Asked for before it is waited for: should it fail meanwhile, that is met when it is. */
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

/** A piece with the event in it. */
export interface Taken extends Outgoing {
  readonly piece: Piece;
  readonly stream: string;
}

export interface Refused {
  readonly piece: Piece;
  readonly fault: IcecoreError;
}

/** Events of one stream, in the order they came. */
export interface Group {
  readonly stream: string;
  readonly taken: readonly Taken[];
}

/**
 * The groups in the order they are to be appended. Within a stream, and between a decision and everything round it, the
 * order stays: a decision is never recorded before the evidence that came before it. Only evidence of several streams that
 * came in turns is sorted apart, because nothing depends on how it lies to each other.
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

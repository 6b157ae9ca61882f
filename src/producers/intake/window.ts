// Pieces are taken in by windows: large enough for few commits, small enough to hold. Within one, events are grouped by
// stream, because an append is of one stream.
import type { NewEvent } from '../../../schemas/envelope.ts';
import type { IcecoreError } from '../../../schemas/errors.ts';
import { isChained } from '../../../schemas/streams.ts';
import type { Piece } from './piece.ts';

const most = { pieces: 1000, bytes: 4 * 1024 * 1024 };

export async function* windows(batches: AsyncIterable<Piece[]>): AsyncGenerator<Piece[]> {
  let window: Piece[] = [];
  let bytes = 0;
  for await (const batch of batches) {
    for (const piece of batch) {
      window.push(piece);
      bytes += piece.size;
      if (window.length < most.pieces && bytes < most.bytes) continue;
      yield window;
      window = [];
      bytes = 0;
    }
  }
  if (window.length > 0) yield window;
}

/** A piece with the event in it. */
export interface Taken {
  readonly piece: Piece;
  readonly stream: string;
  readonly event: NewEvent;
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

// The ledger's order, as the index knows it: blocks of lanes by time.
import type { Index } from './index/index.ts';
import type { Lanes } from './lanes.ts';
import type { Ends } from './log.ts';

/** A block, or as much of one as lies within a span. */
export interface BlockPiece {
  readonly time: number;
  readonly lane: number;
  readonly from: number;
  readonly until: number;
  /** How many events of it count. */
  readonly count: number;
}

/** Those of a span, in order. */
export function blocksBetween(index: Index, lanes: Lanes, start: Ends, end: Ends): readonly BlockPiece[] {
  return lanes.all
    .flatMap(({ number }) => [...piecesOf(index, number, start[number] ?? 0, end[number] ?? 0)])
    .sort((a, b) => a.time - b.time || a.lane - b.lane || a.from - b.from);
}

function* piecesOf(index: Index, lane: number, start: number, end: number): Generator<BlockPiece> {
  if (start >= end) return;
  const blocks = index.blocks(lane, start, end);
  for (const [i, { first, time, before }] of blocks.entries()) {
    const from = Math.max(first, start);
    const next = blocks[i + 1];
    const until = next?.first ?? end;
    // Only at the ends of the span is a block cut.
    const count = next === undefined || from > first ? index.countIn(lane, from, until) : next.before - before;
    if (count > 0) yield { time, lane, from, until, count };
  }
}

/** Behind so many events of a lane, from an offset on; there are more than that before `until`. */
export function endOfSome(index: Index, lane: number, from: number, until: number, events: number): number {
  const refused = index.refusedIn(lane, from, until);
  let left = events;
  for (let offset = from; ; offset++) {
    if (left === 0) return offset;
    if (!refused.has(offset)) left--;
  }
}

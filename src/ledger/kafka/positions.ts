// Where a reader has come to in the evidence: for each partition the offset of the record to read next. The partitions are
// counted from 0; one that was added later, and is not in an older position, has not been read.
import type { Position } from '../remote/log.ts';

export type Offsets = readonly number[];

export function positionOf(offsets: Offsets): Position {
  return offsets.join('.');
}

/** Null where the text is no position. */
export function offsetsOf(position: Position): Offsets | null {
  if (!/^(?:0|[1-9][0-9]{0,15})(?:\.(?:0|[1-9][0-9]{0,15}))*$/.test(position)) return null;
  return position.split('.').map(Number);
}

/** Makes the positions after single records of one partition, by their offsets, while the others stay where they are. */
export function positionsIn(offsets: Offsets, partition: number): (offset: number) => Position {
  const before = offsets.slice(0, partition).map((offset) => `${offset}.`);
  const after = offsets.slice(partition + 1).map((offset) => `.${offset}`);
  const [head, tail] = [before.join(''), after.join('')];
  return (offset) => `${head}${offset + 1}${tail}`;
}

/** Two positions are concurrent where each has read something that the other has not. */
export function compareOffsets(a: Offsets, b: Offsets): 'before' | 'equal' | 'after' | 'concurrent' {
  let [isBefore, isAfter] = [false, false];
  for (let partition = 0; partition < Math.max(a.length, b.length); partition++) {
    const difference = (a[partition] ?? 0) - (b[partition] ?? 0);
    isBefore ||= difference < 0;
    isAfter ||= difference > 0;
  }
  if (isBefore && isAfter) return 'concurrent';
  return isBefore ? 'before' : isAfter ? 'after' : 'equal';
}

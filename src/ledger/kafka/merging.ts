// Lanes read together: the ledger's order is that of the blocks by time, and of the lanes where times are the same. It is the
// same whenever and wherever the lanes are read, as far as they are read.

import { Nearest } from '../../base/nearest.ts';
import type { Cursor } from '../event.ts';
import { StoredEvent } from '../stored.ts';
import type { Cursors } from './cursors.ts';
import type { Admitted } from './index/admitting.ts';
import type { LaneReader } from './lane-readers.ts';

/** So many events are handed over at once, or so many characters. */
export const batchEvents = 1000;
export const batchCharacters = 2_000_000;

export interface Batch {
  readonly events: readonly StoredEvent[];
  /** Of each lane, where reading goes on behind them. */
  readonly offsets: readonly number[];
}

export interface Order {
  readonly backwards: boolean;
  readonly limit: number;
  /** Where the reading of each lane begins; backwards, where it ends. */
  readonly start: readonly number[];
}

export async function* merged(
  readers: readonly LaneReader[],
  cursors: Cursors,
  { backwards, limit, start }: Order,
): AsyncGenerator<Batch> {
  const offsets = [...start];
  const isThere = await Promise.all(readers.map((reader) => reader.fill()));
  const filled = readers.filter((_, i) => isThere[i]);
  if (backwards) for (const reader of filled) offsets[reader.lane.number] = offsetOf(reader) + 1;
  const nearest = new Nearest(filled, backwards ? isAfter : isBefore);
  let batch = new Collecting(cursors);
  for (let left = limit; left > 0; left--) {
    const reader = nearest.first;
    if (reader === undefined) break;
    const lane = reader.lane.number;
    offsets[lane] = offsetOf(reader) + 1;
    batch.add(reader.first as Admitted, lane, offsets);
    reader.take();
    const goesOn = reader.first !== undefined || (await reader.fill());
    if (backwards) offsets[lane] = goesOn ? offsetOf(reader) + 1 : (start[lane] ?? 0);
    if (goesOn) nearest.moved();
    else nearest.removeFirst();
    if (!batch.isFull) continue;
    yield { events: batch.events, offsets: [...offsets] };
    batch = new Collecting(cursors);
  }
  if (batch.events.length > 0) yield { events: batch.events, offsets: [...offsets] };
}

function isBefore(a: LaneReader, b: LaneReader): boolean {
  return compare(a, b) < 0;
}

function isAfter(a: LaneReader, b: LaneReader): boolean {
  return compare(a, b) > 0;
}

function compare(a: LaneReader, b: LaneReader): number {
  const difference = (a.first?.time ?? 0) - (b.first?.time ?? 0);
  return difference === 0 ? a.lane.number - b.lane.number : difference;
}

function offsetOf(reader: LaneReader): number {
  return reader.first?.record.offset ?? 0;
}

class Collecting {
  readonly events: StoredEvent[] = [];
  readonly #cursors: Cursors;
  #characters = 0;
  #lane = -1;
  #before = '';
  #behind = '';

  constructor(cursors: Cursors) {
    this.#cursors = cursors;
  }

  get isFull(): boolean {
    return this.events.length >= batchEvents || this.#characters >= batchCharacters;
  }

  add(admitted: Admitted, lane: number, offsets: readonly number[]): void {
    if (lane !== this.#lane) {
      this.#lane = lane;
      const { before, behind } = this.#cursors.around(offsets, lane);
      this.#before = before;
      this.#behind = behind;
    }
    const cursor = `${this.#before}${(admitted.record.offset + 1).toString(36)}${this.#behind}`;
    const event = storedAs(admitted, cursor);
    this.#characters += event.body.length;
    this.events.push(event);
  }
}

export function storedAs({ record, placed }: Admitted, cursor: Cursor): StoredEvent {
  const { stream, revision, type, id, digest } = placed;
  return new StoredEvent(
    stream,
    revision,
    type,
    id,
    record.timestamp,
    digest,
    record.value?.toString('utf8') ?? '',
    cursor,
  );
}

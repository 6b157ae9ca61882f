// What is computed from a log by reading it: digests in order, ranges of at most so many events, and what is wrong with it.

import { placeOf } from '../event.ts';
import type { DigestsOf, EventRange, StoreFault } from '../ledger.ts';
import type { Calls } from './calls.ts';
import type { Position } from './log.ts';
import type { Reading } from './reading.ts';

export async function* digestsOf(reading: Reading, of: DigestsOf, signal: AbortSignal): AsyncGenerator<string> {
  if ('stream' in of) {
    for await (const events of reading.stream(of.stream, of, signal)) yield events.map(({ digest }) => digest).join('');
    return;
  }
  const span = {
    ...(of.after == null ? {} : { after: of.after }),
    ...(of.until === undefined ? {} : { until: of.until }),
  };
  for await (const events of reading.all(span, signal)) yield events.map(({ digest }) => digest).join('');
}

/** Costs a read of the span. */
export async function rangesOf(
  reading: Reading,
  most: number,
  span: { readonly after?: string; readonly until?: string },
  signal: AbortSignal,
): Promise<readonly EventRange[]> {
  const found: EventRange[] = [];
  let after = span.after ?? null;
  let last: string | null = null;
  let events = 0;
  for await (const page of reading.all(span, signal)) {
    for (const { cursor } of page) {
      last = cursor;
      if (++events < most) continue;
      found.push({ after, until: cursor, events });
      after = cursor;
      events = 0;
    }
  }
  if (events > 0 && last !== null) found.push({ after, until: last, events });
  return found;
}

export async function* auditLog(calls: Calls, wholly: boolean, signal: AbortSignal): AsyncGenerator<StoreFault> {
  yield* await calls.make(async (log) => {
    const faults: StoreFault[] = [];
    for await (const fault of log.faults({ wholly }, signal)) faults.push(fault);
    return faults;
  }, signal);
  if (!wholly) return;
  const ids = new IdHashes();
  let end: Position | null = null;
  for await (const { events, rejected, position } of calls.follow({ after: null, live: false }, signal)) {
    for (const { where, why } of rejected) yield { where, what: why };
    for (const { id } of events) ids.add(id);
    end = position;
  }
  const repeated = ids.repeated();
  if (repeated.size === 0 || end === null) return;
  const places = new Map<string, string>();
  for await (const { events } of calls.follow({ after: null, until: end, live: false }, signal)) {
    for (const event of events) {
      if (!repeated.has(hashOf(event.id))) continue;
      const [filedId, place] = [event.id.replaceAll('-', ''), placeOf(event)];
      const first = places.get(filedId);
      if (first === undefined) places.set(filedId, place);
      else yield { where: place, what: `has the id ${filedId}, which ${first} has too` };
    }
  }
}

/** The last 12 hexadecimal digits as a number: few enough bits for a number, and those that differ most. */
function hashOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(-12), 16);
}

/** Eight bytes an event, so that the ids of millions fit into memory. */
class IdHashes {
  #hashes = new Float64Array(1024);
  #count = 0;

  add(id: string): void {
    if (this.#count === this.#hashes.length) {
      const larger = new Float64Array(2 * this.#count);
      larger.set(this.#hashes);
      this.#hashes = larger;
    }
    this.#hashes[this.#count++] = hashOf(id);
  }

  repeated(): ReadonlySet<number> {
    const sorted = this.#hashes.subarray(0, this.#count).sort();
    return new Set(sorted.filter((hash, i) => i > 0 && sorted[i - 1] === hash));
  }
}

// What is computed from a log by reading it: digests in order, ranges of at most so many events, and what is wrong with it.

import { parseStream } from '../../../schemas/streams.ts';
import { placeOf, plainId } from '../event.ts';
import type { DigestsOf, EventRange, StoreFault } from '../ledger.ts';
import type { Calls } from './calls.ts';
import type { LogTraits, Position } from './log.ts';
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

export async function* auditLog(
  calls: Calls,
  { attempts }: Pick<LogTraits, 'attempts'>,
  wholly: boolean,
  signal: AbortSignal,
): AsyncGenerator<StoreFault> {
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
  const firsts = new Map<string, Parameters<typeof placeOf>[0]>();
  for await (const { events } of calls.follow({ after: null, until: end, live: false }, signal)) {
    for (const event of events) {
      if (!repeated.has(hashOf(event.id))) continue;
      const filedId = plainId(event.id);
      const first = firsts.get(filedId);
      if (first === undefined) firsts.set(filedId, event);
      else if (attempts === 'open' || !areOfOnePart(first.stream, event.stream))
        yield { where: placeOf(event), what: `has the id ${filedId}, which ${placeOf(first)} has too` };
    }
  }
}

/** An attempt that was left behind and never reported has the ids of the one that took its place. */
function areOfOnePart(one: string, other: string): boolean {
  const partOf = (stream: string): string => stream.slice(0, stream.lastIndexOf('-'));
  return one !== other && parseStream(one)?.category === 'evidence' && partOf(one) === partOf(other);
}

/** 53 bits of all: ids of one stage differ in the last 32, those of different runs and stages in the others. */
function hashOf(id: string): number {
  const digits = plainId(id);
  let others = 0;
  for (const at of [0, 8, 16]) others = Math.imul(others ^ Number.parseInt(digits.slice(at, at + 8), 16), 0x9e3779b1);
  return (others >>> 11) * 2 ** 32 + Number.parseInt(digits.slice(24), 16);
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

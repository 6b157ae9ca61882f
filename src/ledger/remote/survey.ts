// Operations that read a log: digests in order, ranges of a limited number of events, and faults.

import { placeOf } from '../event.ts';
import type { AuditOptions, DigestsOf, EventRange, StoreFault } from '../ledger.ts';
import type { Calls } from './calls.ts';
import type { Reading } from './reading.ts';
import { type IdsOf, RepeatedIds } from './repeated-ids.ts';

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

/** Reads the span. */
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
  reading: Reading,
  options: Pick<Required<AuditOptions>, 'wholly' | 'run'>,
  signal: AbortSignal,
): AsyncGenerator<StoreFault> {
  yield* await calls.make(async (log) => {
    const faults: StoreFault[] = [];
    for await (const fault of log.faults(options, signal)) faults.push(fault);
    return faults;
  }, signal);
  // Only the ledger knows that it is a part, where evidence may repeat ids of decisions.
  if (!options.wholly || calls.log.part === 'evidence') return;
  const ids = new RepeatedIds();
  for await (const events of reading.all({}, signal)) {
    for (const { stream, revision, filedId } of events) ids.add(stream, revision, filedId);
  }
  const idsOf: IdsOf = (stream) => reading.stream(stream, {}, signal);
  for await (const { id, first, other } of ids.find(idsOf, () => false)) {
    yield { where: placeOf(other), what: `has the id ${id}, which ${placeOf(first)} has too` };
  }
}

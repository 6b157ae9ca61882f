// What is wrong with the stores of a split ledger: with either of them by itself, and what only both together can tell.
import { uuidOf } from '../filed.ts';
import type { AuditOptions, StoreFault } from '../ledger.ts';
import { placeOf } from '../places.ts';
import { Span } from '../seal/span.ts';
import { partOf, parts, type Store } from './parts.ts';
import type { Stores } from './reading.ts';
import type { Attempt, Reports } from './reports.ts';

/** So many ids of run events are held at once; the evidence is read once for each time. */
const mostIds = 1_000_000;

export async function* auditBoth(
  stores: Stores,
  reports: Reports,
  options: Required<AuditOptions>,
): AsyncGenerator<StoreFault> {
  for (const part of parts) {
    for await (const { where, what } of stores[part].pages((ledger) => ledger.audit(options)))
      yield { where: `${part}: ${where}`, what };
    yield* misplaced(stores[part]);
  }
  const { wholly, run } = options;
  if (!wholly && run === null) return;
  await reports.refresh();
  for (const attempt of reports.attempts)
    if (run === null || attempt.report.run === run) yield* incomplete(stores.evidence, attempt);
  if (wholly) yield* sharedIds(stores);
}

/** A stream in the wrong part is found by nobody who looks for it by its name. */
async function* misplaced(store: Store): AsyncGenerator<StoreFault> {
  const { part, ledger } = store;
  // It takes evidence only, and would have to be read as a whole to list its streams.
  if (ledger?.capabilities.attempts === 'reported') return;
  for await (const ends of store.pages((ledger) => ledger.streams())) {
    for (const { stream } of ends)
      if (partOf(stream) !== part) yield { where: `${part}: ${stream}`, what: `it belongs to the ${partOf(stream)}` };
  }
}

async function* incomplete(evidence: Store, { stream, count, root, report }: Attempt): AsyncGenerator<StoreFault> {
  const found = new Span();
  const range = { stream, from: 0, to: count - 1 };
  for await (const digests of evidence.pages((ledger) => ledger.digests(range))) found.addAll(digests);
  const where = `evidence: ${stream}`;
  const by = placeOf(report);
  if (found.to < count) yield { where, what: `${by} reports ${count} events, ${found.to} are there` };
  else if (found.root() !== root) yield { where, what: `it is not what ${by} reports: another Merkle root` };
}

/** Neither store knows the ids of the other when it takes an event. */
async function* sharedIds({ decisions, evidence }: Stores): AsyncGenerator<StoreFault> {
  let ids = new Set<string>();
  for await (const events of decisions.pages((ledger) => ledger.readAll())) {
    for (const { filedId } of events) ids.add(filedId);
    if (ids.size < mostIds) continue;
    yield* bearing(ids, evidence);
    ids = new Set();
  }
  if (ids.size > 0) yield* bearing(ids, evidence);
}

async function* bearing(ids: ReadonlySet<string>, evidence: Store): AsyncGenerator<StoreFault> {
  for await (const events of evidence.pages((ledger) => ledger.readAll())) {
    for (const event of events) {
      if (!ids.has(event.filedId)) continue;
      const what = `its id ${uuidOf(event)} is also that of a run event`;
      yield { where: `evidence: ${event.stream}@${event.revision}`, what };
    }
  }
}

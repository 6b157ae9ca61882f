// What is wrong with the stores of a split ledger: with either of them by itself, and what only both together can tell.
import { EvidenceMissing } from '../errors.ts';
import { placeOf, uuidOf } from '../event.ts';
import type { AuditOptions, StoreFault } from '../ledger.ts';
import { Span } from '../seal/span.ts';
import { type AttemptStore, isAttemptStore } from './attempt-store.ts';
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
  const attempts = [...reports.attempts].filter(({ report }) => run === null || report.run === run);
  yield* incomplete(stores.evidence, attempts);
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

/** Attempts that are not what was reported. */
async function* incomplete(evidence: Store, attempts: readonly Attempt[]): AsyncGenerator<StoreFault> {
  const ledger = await evidence.ask(async (opened) => opened);
  if (isAttemptStore(ledger)) return yield* incompleteOf(evidence, ledger, attempts);
  for (const attempt of attempts) yield* incompleteAlone(evidence, attempt);
}

async function* incompleteAlone(evidence: Store, attempt: Attempt): AsyncGenerator<StoreFault> {
  const found = new Span();
  const range = { stream: attempt.stream, from: 0, to: attempt.count - 1 };
  try {
    for await (const digests of evidence.pages((store) => store.digests(range))) found.addAll(digests);
  } catch (error) {
    if (!(error instanceof EvidenceMissing)) throw error;
  }
  yield* differing(attempt, found);
}

/** Reads them together. Where events are missing, they may be those of another attempt nearby: each is then looked at alone. */
async function* incompleteOf(
  evidence: Store,
  store: AttemptStore,
  attempts: readonly Attempt[],
): AsyncGenerator<StoreFault> {
  let left = attempts;
  for (let [attempt] = left; attempt !== undefined; [attempt] = left) {
    let found = new Span();
    const wanted = left.map(({ stream, count, place }) => ({ stream, count, ...(place && { place }) }));
    try {
      for await (const { events, isLast } of evidence.pages(() => store.readAttempts(wanted))) {
        found.addAll(events.map(({ digest }) => digest).join(''));
        if (!isLast || attempt === undefined) continue;
        yield* differing(attempt, found);
        left = left.slice(1);
        [attempt] = left;
        found = new Span();
      }
      return;
    } catch (error) {
      if (!(error instanceof EvidenceMissing) || attempt === undefined) throw error;
      yield* incompleteAlone(evidence, attempt);
      left = left.slice(1);
    }
  }
}

function* differing({ stream, count, root, report }: Attempt, found: Span): Generator<StoreFault> {
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

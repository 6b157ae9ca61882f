// What is wrong with the stores of a split ledger: with either of them by itself, and what only both together can tell.

import { uuidOf } from '../event.ts';
import type { AuditOptions, Ledger, StoreFault } from '../ledger.ts';
import { type Both, partOf, parts, type Store } from './parts.ts';

/** So many ids of decisions are held at once; the evidence is read once for each time. */
const mostIds = 1_000_000;

export async function* auditBoth(stores: Both<Store>, options: Required<AuditOptions>): AsyncGenerator<StoreFault> {
  for (const part of parts) {
    for await (const { where, what } of stores[part].pages((ledger) => ledger.audit(options))) {
      yield { where: `${part}: ${where}`, what };
    }
    yield* misplaced(stores[part]);
  }
  if (options.wholly) yield* sharedIds(stores);
}

/** A stream in the wrong part is found by nobody who looks for it by its name. */
async function* misplaced(store: Store): AsyncGenerator<StoreFault> {
  const { part } = store;
  for await (const ends of store.pages((ledger) => ledger.streams())) {
    for (const { stream } of ends) {
      if (partOf(stream) !== part) yield { where: `${part}: ${stream}`, what: `it belongs to the ${partOf(stream)}` };
    }
  }
}

/** Neither store knows the ids of the other when it takes an event. */
async function* sharedIds(stores: Both<Store>): AsyncGenerator<StoreFault> {
  let ids = new Set<string>();
  for await (const events of stores.decisions.pages((ledger) => ledger.readAll())) {
    for (const { filedId } of events) ids.add(filedId);
    if (ids.size < mostIds) continue;
    yield* stores.evidence.pages((ledger) => bearing(ids, ledger));
    ids = new Set();
  }
  if (ids.size > 0) yield* stores.evidence.pages((ledger) => bearing(ids, ledger));
}

async function* bearing(ids: ReadonlySet<string>, evidence: Ledger): AsyncGenerator<StoreFault> {
  for await (const events of evidence.readAll()) {
    for (const event of events) {
      if (!ids.has(event.filedId)) continue;
      const what = `its id ${uuidOf(event)} is also that of an event among the decisions`;
      yield { where: `evidence: ${event.stream}@${event.revision}`, what };
    }
  }
}

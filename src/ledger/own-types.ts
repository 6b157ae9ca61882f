// A ledger that was opened with event types of plugins. Stores only store bytes, so this wrapper adds the types to appends and to
// the events that are read, for any store.
import { eventTypes } from '../../schemas/catalogue.ts';
import type { EventTypes } from '../../schemas/check.ts';
import type { Delivery, Ledger } from './ledger.ts';
import type { StoredEvent } from './stored.ts';

/** All types that can be written to a ledger and read from it. */
export function typesOf({ types }: Pick<Ledger, 'types'>): EventTypes {
  return types ?? eventTypes;
}

/** The ledger itself, changed to write and read events of these types too. */
export function registerTypes(types: EventTypes, ledger: Ledger): Ledger {
  if (types === eventTypes) return ledger;
  const { append, read, readAll, subscribe, find } = ledger;
  return Object.assign(ledger, {
    types,
    append: (stream, events, options) => append.call(ledger, stream, events, { ...options, types }),
    read: (stream, options) => typed(types, read.call(ledger, stream, options)),
    readAll: (options) => typed(types, readAll.call(ledger, options)),
    subscribe: (options) => typedDeliveries(types, subscribe.call(ledger, options)),
    find: async (id, limit) => withTypes(types, await find.call(ledger, id, limit)),
  } satisfies Partial<Ledger>);
}

async function* typed(
  types: EventTypes,
  pages: AsyncIterable<readonly StoredEvent[]>,
): AsyncGenerator<readonly StoredEvent[]> {
  for await (const page of pages) yield withTypes(types, page);
}

async function* typedDeliveries(types: EventTypes, deliveries: AsyncIterable<Delivery>): AsyncGenerator<Delivery> {
  for await (const delivery of deliveries) {
    if (delivery.kind === 'events') withTypes(types, delivery.events);
    yield delivery;
  }
}

function withTypes(types: EventTypes, events: readonly StoredEvent[]): readonly StoredEvent[] {
  for (const event of events) event.types = types;
  return events;
}

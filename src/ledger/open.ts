// Opens the ledger at a URL, and adds what no store has to know: event types of plugins, and tracing. The code of a store is loaded
// only when a URL needs it.
import { eventTypes } from '../../schemas/catalogue.ts';
import type { EventTypes } from '../../schemas/check.ts';
import { IcecoreError } from '../../schemas/errors.ts';
import { eventTypesWith } from '../../schemas/own-events.ts';
import { isObserved, measure, traced, tracedPages } from '../base/tracing.ts';
import { LedgerMissing } from './errors.ts';
import type { Delivery, Ledger, OpenOptions } from './ledger.ts';
import type { StoredEvent } from './stored.ts';
import { driverOf, type LedgerUrl, parseLedgerUrl } from './stores.ts';

/** Opens the ledger at a URL. Throws BadLedgerUrl, LedgerMissing, and PartAlone for half of a split ledger. */
export async function openLedger(url: string, options: OpenOptions = {}): Promise<Ledger> {
  const types = eventTypesWith(options.types);
  const ledger = observed(registerTypes(types, await openParsed(parseLedgerUrl(url), options)));
  if (ledger.part === undefined || options.readOnly === true) return ledger;
  await ledger.close();
  throw partAlone(ledger.url, ledger.part);
}

async function openParsed(url: LedgerUrl, options: OpenOptions): Promise<Ledger> {
  if (url.scheme !== 'split') return await driverOf(url).open(url, options);
  return await (await import('./split/open.ts')).openSplit(url, options, openParsed);
}

/** Whether there is something to open, even if only the remains of an interrupted creation. */
export async function isLedgerThere(url: string, waiting: Pick<OpenOptions, 'onWait'> = {}): Promise<boolean> {
  const parsed = parseLedgerUrl(url);
  // The store of decisions is created first.
  const store = parsed.scheme === 'split' ? parsed.decisions : parsed;
  const known = driverOf(store).isThere?.(store);
  if (known !== undefined) return known;
  try {
    await (await openParsed(store, { ...waiting, readOnly: true })).close();
    return true;
  } catch (error) {
    if (error instanceof LedgerMissing) return false;
    throw error;
  }
}

/** Writing to one part alone would put events where readers of the split ledger do not look for them. */
export function partAlone(url: string, part: 'decisions' | 'evidence'): IcecoreError {
  return new IcecoreError('conflict', `${url} has only the ${part} of a split ledger`, {
    name: 'PartAlone',
    facts: { url, part },
    remedy: 'Name both parts: split:DECISIONS+EVIDENCE. A single part can be read, but neither written nor copied.',
  });
}

/** The ledger itself, changed to write and read events of these types too. */
function registerTypes(types: EventTypes, ledger: Ledger): Ledger {
  if (types === eventTypes) return ledger;
  const { append, read, readAll, subscribe, find } = ledger;
  const register = (events: readonly StoredEvent[]): readonly StoredEvent[] => {
    for (const event of events) event.types = types;
    return events;
  };
  const registerIn = (delivery: Delivery): Delivery => {
    if (delivery.kind !== 'caught-up') register(delivery.events);
    return delivery;
  };
  return Object.assign(ledger, {
    types,
    append: (stream, events, options) => append.call(ledger, stream, events, { ...options, types }),
    read: (stream, options) => each(read.call(ledger, stream, options), register),
    readAll: (options) => each(readAll.call(ledger, options), register),
    subscribe: (options) => each(subscribe.call(ledger, options), registerIn),
    find: async (id, limit) => register(await find.call(ledger, id, limit)),
  } satisfies Partial<Ledger>);
}

async function* each<Item>(items: AsyncIterable<Item>, change: (item: Item) => Item): AsyncGenerator<Item> {
  for await (const item of items) yield change(item);
}

/** The ledger itself, with appends and reads that OpenTelemetry sees. Without an SDK the ledger stays as it is. */
function observed(ledger: Ledger): Ledger {
  if (!isObserved()) return ledger;
  const { append, read, readAll } = ledger;
  const [store = ''] = ledger.url.split(':', 1);
  const of = { 'icecore.store': store };
  return Object.assign(ledger, {
    append: (stream, events, options) =>
      traced(
        'icecore.ledger.append',
        { ...of, ...named(stream), 'icecore.events': events.length },
        async (operation) => {
          const appended = await append.call(ledger, stream, events, options);
          const existed = appended.existed.filter(Boolean).length;
          operation.add({ 'icecore.events.existed': existed });
          await measure('icecore.ledger.append.events', '{event}', events.length - existed, of);
          return appended;
        },
      ),
    read: (stream, options) =>
      tracedPages('icecore.ledger.read', { ...of, ...named(stream) }, read.call(ledger, stream, options), sizeOf),
    readAll: (options) => tracedPages('icecore.ledger.read', of, readAll.call(ledger, options), sizeOf),
  } satisfies Partial<Ledger>);
}

function named(stream: string): { readonly 'icecore.stream': string; readonly 'icecore.stream.kind': string } {
  return { 'icecore.stream': stream, 'icecore.stream.kind': stream.split('-', 1)[0] ?? '' };
}

function sizeOf(events: readonly unknown[]): number {
  return events.length;
}

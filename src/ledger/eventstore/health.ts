// The checks of `icecore doctor` for a ledger in EventStoreDB: whether the server answers, its version, whether it keeps all
// events, and whether the last events match their digests. They change nothing.
import { type Check, checkLastEvents, checksOf, failed, ok } from '../checks.ts';
import { countedEvents } from '../event.ts';
import type { Ledger } from '../ledger.ts';
import type { EventStorePlace, EventStoreUrl } from './place.ts';
import { openEventStore } from './store.ts';

export async function checkEventStore(url: EventStoreUrl): Promise<readonly Check[]> {
  const open = (): Promise<Ledger> => openEventStore(url, { readOnly: true });
  return await checksOf(url.url, open, async (ledger) => [
    await describe(ledger, url.place),
    await checkKept(ledger),
    await checkLastEvents(ledger),
  ]);
}

async function describe(ledger: Ledger, { prefix, tls }: EventStorePlace): Promise<Check> {
  const { events } = await ledger.head();
  const found = `${ledger.id}, ${countedEvents(events)}, in the streams ${prefix}.*`;
  if (tls) return ok('ledger', found);
  return ok('ledger', `${found}, not encrypted`);
}

async function checkKept(ledger: Ledger): Promise<Check> {
  const faults = [];
  for await (const fault of ledger.audit({ wholly: false })) faults.push(fault);
  const [first] = faults;
  if (first === undefined) return ok('history', 'kept for ever');
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const remedy = 'Remove these settings from the streams, and restore missing events from a copy.';
  return failed('history', `${first.where}: ${first.what}${more}`, remedy);
}

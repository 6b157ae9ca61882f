// The checks of `icecore doctor` for a ledger in EventStoreDB: whether the server answers, its version, whether it keeps all
// events, and whether the last events match their digests. They change nothing.
import { type Check, checkLastEvents, failure, ok, warning } from '../checks.ts';
import { LedgerMissing } from '../errors.ts';
import { countedEvents } from '../event.ts';
import type { Ledger } from '../ledger.ts';
import type { EventStorePlace } from './place.ts';
import { openEventStore } from './store.ts';

interface Located {
  readonly url: string;
  readonly place: EventStorePlace;
}

export async function checkEventStore(location: Located): Promise<readonly Check[]> {
  const checks: Check[] = [];
  try {
    const ledger = await openEventStore(location, { readOnly: true });
    try {
      checks.push(await describe(ledger, location.place), await checkKept(ledger), await checkLastEvents(ledger));
    } finally {
      await ledger.close();
    }
  } catch (error) {
    const isMissing = error instanceof LedgerMissing;
    checks.push(
      isMissing
        ? warning('ledger', `none at ${location.url} yet`, 'Create one with `icecore init`.')
        : failure('ledger', error),
    );
  }
  return checks;
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
  return {
    name: 'history',
    status: 'failed',
    found: `${first.where}: ${first.what}${more}`,
    remedy: 'Remove these settings from the streams, and restore missing events from a copy.',
  };
}

// What can be said of any ledger by opening it.
import { type Check, failure, ok, warning } from './checks.ts';
import { countedEvents } from './counted.ts';
import { LedgerMissing } from './errors.ts';
import { openLedger } from './open.ts';

export async function checkOpened(url: string): Promise<Check> {
  try {
    const ledger = await openLedger(url, { readOnly: true });
    try {
      const { events } = await ledger.head();
      return ok('ledger', `${ledger.url}: ${ledger.id}, ${countedEvents(events)}`);
    } finally {
      await ledger.close();
    }
  } catch (error) {
    return error instanceof LedgerMissing
      ? warning('ledger', `none at ${url} yet`, error.remedy)
      : failure('ledger', error);
  }
}

// What can be said about a ledger without changing it: the checks `icecore doctor` shows.

import type { Check } from './checks.ts';

/** Looks at the ledger of this URL. Never throws: what cannot be looked at is a failed check. */
export async function checkLedger(url: string): Promise<readonly Check[]> {
  const { parseLedgerUrl } = await import('./open.ts');
  const { checkSqlite } = await import('./sqlite/health.ts');
  return checkSqlite(parseLedgerUrl(url).place);
}

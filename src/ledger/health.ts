// What can be said about a ledger without changing it: the checks `icecore doctor` shows.

import { type Check, failure } from './checks.ts';
import { type LedgerUrl, parseLedgerUrl } from './url.ts';

/** Looks at the ledger of this URL. Never throws: what cannot be looked at is a failed check. */
export async function checkLedger(url: string): Promise<readonly Check[]> {
  try {
    return await checkParsed(parseLedgerUrl(url));
  } catch (error) {
    return [failure('ledger', error)];
  }
}

/** Who asks how things are wants to know that a server is away, and not to wait until it is back. */
const mostPatience = 5;

async function checkParsed(url: LedgerUrl): Promise<readonly Check[]> {
  switch (url.scheme) {
    case 'sqlite':
      return await (await import('./sqlite/health.ts')).checkSqlite(url.path);
    case 'kafka':
      return await (await import('./kafka/health.ts')).checkKafka(impatient(url));
    case 'esdb':
      return await (await import('./eventstore/health.ts')).checkEventStore(impatient(url));
    case 'split':
      return await (await import('./split/health.ts')).checkSplit(url, checkParsed);
  }
}

function impatient<Url extends { readonly place: { readonly patience: number } }>(url: Url): Url {
  return { ...url, place: { ...url.place, patience: Math.min(url.place.patience, mostPatience) } };
}

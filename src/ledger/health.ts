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

async function checkParsed(url: LedgerUrl): Promise<readonly Check[]> {
  switch (url.scheme) {
    case 'sqlite':
      return await (await import('./sqlite/health.ts')).checkSqlite(url.path);
    case 'kafka':
      return await (await import('./kafka/health.ts')).checkKafka(url);
    case 'split':
      return await (await import('./split/health.ts')).checkSplit(url, checkParsed);
  }
}

// What can be said about a ledger without changing it: the checks `icecore doctor` shows.

export interface Check {
  /** What was looked at, in a word or two: `format`, `durability`. */
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly found: string;
  /** What to do about it; empty where nothing is. */
  readonly remedy: string;
}

/** Looks at the ledger of this URL. Never throws: what cannot be looked at is a failed check. */
export async function checkLedger(url: string): Promise<readonly Check[]> {
  const { parseLedgerUrl } = await import('./open.ts');
  const { checkSqlite } = await import('./sqlite/health.ts');
  return checkSqlite(parseLedgerUrl(url).place);
}

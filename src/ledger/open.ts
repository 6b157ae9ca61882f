// From a URL to a ledger. A store is loaded only when its URL asks for it.
import { existsSync } from 'node:fs';
import { LedgerMissing } from './errors.ts';
import type { Ledger, OpenOptions } from './ledger.ts';
import { PartAlone } from './part.ts';
import { type LedgerUrl, parseLedgerUrl } from './url.ts';

export async function openLedger(url: string, options: OpenOptions = {}): Promise<Ledger> {
  const parsed = parseLedgerUrl(url);
  await refuseEvidenceAlone(parsed);
  const ledger = await openParsed(parsed, options);
  if (ledger.part === undefined || options.readOnly === true) return ledger;
  await ledger.close();
  throw new PartAlone(ledger.url, ledger.part);
}

async function openParsed(url: LedgerUrl, options: OpenOptions): Promise<Ledger> {
  switch (url.scheme) {
    case 'sqlite':
      return await (await import('./sqlite/store.ts')).openSqlite(url.path, options);
    case 'kafka':
      return await (await import('./kafka/store.ts')).openKafka(url, options);
    case 'esdb':
      return await (await import('./eventstore/store.ts')).openEventStore(url, options);
    case 'split':
      return await (await import('./split/open.ts')).openSplit(url, options, openParsed);
  }
}

/** Kafka holds the evidence of a split ledger, and is no ledger by itself. */
async function refuseEvidenceAlone(url: LedgerUrl): Promise<void> {
  if (url.scheme === 'kafka') throw new (await import('./kafka/errors.ts')).EvidenceOnly(url.url);
}

/** Whether there is something to open, if only what is left of a making that was cut short. */
export async function isLedgerThere(url: string, waiting: Pick<OpenOptions, 'onWait'> = {}): Promise<boolean> {
  const parsed = parseLedgerUrl(url);
  await refuseEvidenceAlone(parsed);
  return await isThere(parsed, waiting);
}

async function isThere(url: LedgerUrl, waiting: Pick<OpenOptions, 'onWait'>): Promise<boolean> {
  if (url.scheme === 'sqlite') return existsSync(url.path);
  // The part that is made first.
  if (url.scheme === 'split') return await isThere(url.decisions, waiting);
  try {
    await (await openParsed(url, { ...waiting, readOnly: true })).close();
    return true;
  } catch (error) {
    if (error instanceof LedgerMissing) return false;
    throw error;
  }
}
